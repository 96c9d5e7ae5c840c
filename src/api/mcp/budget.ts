/** Bytes of document text in one answer, in UTF-8. */
export const MOST_TEXT_BYTES = 100 * 1024;

const encoder = new TextEncoder();

/** What is left of an answer's text. */
export class Budget {
  #left: number;

  constructor(bytes = MOST_TEXT_BYTES) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /** As much of the text as fits, from its beginning; characters stay whole. */
  take(text: string): { text: string; isCut: boolean } {
    const { read, written } = encoder.encodeInto(text, new Uint8Array(this.#left));
    const isCut = read < text.length;
    this.#left = isCut ? 0 : this.#left - written;
    return { text: text.slice(0, read), isCut };
  }

  /** Whether the whole text fits; only then it is counted. */
  takeWhole(text: string): boolean {
    const { read, written } = encoder.encodeInto(text, new Uint8Array(this.#left));
    if (read < text.length) return false;
    this.#left -= written;
    return true;
  }
}
