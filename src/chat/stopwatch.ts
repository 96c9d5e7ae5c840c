/** Seconds from the beginning of an answer to what happens in it. */
export class Stopwatch {
  readonly #begun = Date.now();
  readonly #noted: Record<string, number> = {};

  /** The first time counts. */
  note(what: string): void {
    this.#noted[what] ??= this.#seconds();
  }

  /** All that was noted, and `total`. */
  stop(): Record<string, number> {
    return { ...this.#noted, total: this.#seconds() };
  }

  #seconds(): number {
    return (Date.now() - this.#begun) / 1000;
  }
}
