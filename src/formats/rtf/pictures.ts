import { decodeCodePage } from '#src/text-formats/code-pages.ts';

const MAX_PICTURE_BYTES = 32 * 1024 * 1024;
const MIN_DIGITS = 32;
const LATIN = 1252;

/** Collects a picture that is written as hexadecimal digits. */
export class HexPicture {
  #parts: string[] = [];
  #length = 0;

  add(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length <= MAX_PICTURE_BYTES * 2) this.#parts.push(decodeCodePage(bytes, LATIN));
  }

  /** Returns the bytes of the picture and starts the next one. Returns `undefined` if there are too few digits. */
  take(): Uint8Array | undefined {
    const hex = this.#parts.join('').replace(/[^0-9a-f]/gi, '');
    this.#parts = [];
    this.#length = 0;
    if (hex.length < MIN_DIGITS) return undefined;
    return Uint8Array.from({ length: hex.length >> 1 }, (_, at) =>
      Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16),
    );
  }
}
