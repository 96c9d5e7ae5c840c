import type { Pixels } from './png.ts';

/**
 * Scales a picture down row by row. Each pixel of the result is the mean of the original pixels that it
 * covers.
 */
export class PictureShrinker {
  readonly width: number;
  readonly height: number;
  readonly #from: { width: number; height: number };
  readonly #sums: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #data: Uint8Array;
  #row = 0;

  constructor(from: { width: number; height: number }, maxPixels: number) {
    const scale = Math.min(1, Math.sqrt(maxPixels / (from.width * from.height)));
    this.width = Math.max(1, Math.floor(from.width * scale));
    this.height = Math.max(1, Math.floor(from.height * scale));
    this.#from = from;
    this.#sums = new Uint32Array(this.width * 3);
    this.#counts = new Uint32Array(this.width);
    this.#data = new Uint8Array(this.width * this.height * 3);
  }

  /** Adds row `y` of the original picture, with four bytes per pixel. Rows must be added in order. */
  add(rgba: Uint8Array, y: number): void {
    const row = Math.min(this.height - 1, Math.floor((y * this.height) / this.#from.height));
    if (row !== this.#row) this.#finishRow(row);
    for (let x = 0; x < this.#from.width; x++) {
      const column = Math.floor((x * this.width) / this.#from.width);
      for (let channel = 0; channel < 3; channel++)
        this.#sums[column * 3 + channel]! += rgba[x * 4 + channel]!;
      this.#counts[column]!++;
    }
  }

  #finishRow(next: number): void {
    const at = this.#row * this.width * 3;
    for (let index = 0; index < this.#sums.length; index++) {
      const count = this.#counts[Math.floor(index / 3)]!;
      this.#data[at + index] = count === 0 ? 255 : this.#sums[index]! / count;
    }
    this.#sums.fill(0);
    this.#counts.fill(0);
    this.#row = next;
  }

  /** Returns the scaled picture. Must be called once, after the last row was added. */
  finish(): Pixels {
    this.#finishRow(this.#row);
    return { width: this.width, height: this.height, channels: 3, data: this.#data };
  }
}
