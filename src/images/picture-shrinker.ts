import type { Pixels } from './png.ts';

/** Shares of red, green and blue in the brightness of a pixel. */
const [RED, GREEN, BLUE] = [0.299, 0.587, 0.114];

/**
 * Scales a picture down row by row. Each pixel of the result is the mean of the original pixels that it
 * covers.
 */
export class PictureShrinker {
  readonly width: number;
  readonly height: number;
  readonly #from: { width: number; height: number };
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;
  readonly #data: Uint8Array;
  readonly #channels: 1 | 3;
  #row = 0;

  /** `channels` is 1 for a gray result and 3 for RGB. */
  constructor(from: { width: number; height: number }, maxPixels: number, channels: 1 | 3 = 3) {
    const scale = Math.min(1, Math.sqrt(maxPixels / (from.width * from.height)));
    this.width = Math.max(1, Math.floor(from.width * scale));
    this.height = Math.max(1, Math.floor(from.height * scale));
    this.#from = from;
    this.#channels = channels;
    this.#sums = new Float64Array(this.width * channels);
    this.#counts = new Uint32Array(this.width);
    this.#data = new Uint8Array(this.width * this.height * channels);
  }

  /** Adds row `y` of the original picture, with four bytes per pixel. Rows must be added in order. */
  add(rgba: Uint8Array, y: number): void {
    const row = Math.min(this.height - 1, Math.floor((y * this.height) / this.#from.height));
    if (row !== this.#row) this.#finishRow(row);
    for (let x = 0; x < this.#from.width; x++) {
      const column = Math.floor((x * this.width) / this.#from.width);
      const at = x * 4;
      if (this.#channels === 1)
        this.#sums[column]! += RED * rgba[at]! + GREEN * rgba[at + 1]! + BLUE * rgba[at + 2]!;
      else
        for (let channel = 0; channel < 3; channel++)
          this.#sums[column * 3 + channel]! += rgba[at + channel]!;
      this.#counts[column]!++;
    }
  }

  #finishRow(next: number): void {
    const channels = this.#channels;
    const at = this.#row * this.width * channels;
    for (let index = 0; index < this.#sums.length; index++) {
      const count = this.#counts[Math.floor(index / channels)]!;
      this.#data[at + index] = count === 0 ? 255 : this.#sums[index]! / count;
    }
    this.#sums.fill(0);
    this.#counts.fill(0);
    this.#row = next;
  }

  /** Returns the scaled picture. Must be called once, after the last row was added. */
  finish(): Pixels {
    this.#finishRow(this.#row);
    return { width: this.width, height: this.height, channels: this.#channels, data: this.#data };
  }
}
