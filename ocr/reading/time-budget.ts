/** Time for reading one picture. Readings cannot be interrupted, so their duration is estimated before they start. */
export class TimeBudget {
  readonly #milliseconds: number;
  readonly #readClock: () => Promise<number>;
  #started: number | undefined;
  /**
   * Number of pixels and milliseconds per pixel of the largest reading. Small samples show the densest text, so they take
   * longer per pixel than a whole picture.
   */
  #largest = { pixels: 0, rate: 0 };
  /** True if a reading was left out because the time was too short for it. */
  isExceeded = false;

  /** `readClock` returns the present time in milliseconds. */
  constructor(milliseconds: number, readClock: () => Promise<number>) {
    this.#milliseconds = milliseconds;
    this.#readClock = readClock;
  }

  /** Reads a picture with the given number of pixels and measures how long it takes. */
  async measure<Result>(pixels: number, read: () => Promise<Result>): Promise<Result> {
    const before = await this.#readClock();
    this.#started ??= before;
    try {
      return await read();
    } finally {
      const duration = (await this.#readClock()) - before;
      if (pixels >= this.#largest.pixels) this.#largest = { pixels, rate: duration / Math.max(1, pixels) };
    }
  }

  /** Returns whether a reading of the given number of pixels would end in time, as estimated from the largest one. */
  async allows(pixels: number): Promise<boolean> {
    if (this.#started === undefined) return true;
    const left = this.#started + this.#milliseconds - (await this.#readClock());
    const isAllowed = left > 0 && pixels * this.#largest.rate <= left;
    if (!isAllowed) this.isExceeded = true;
    return isAllowed;
  }
}
