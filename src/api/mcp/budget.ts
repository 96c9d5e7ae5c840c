/** Maximum bytes of document text in one answer, in UTF-8. */
export const MOST_TEXT_BYTES = 100 * 1024;

const encoder = new TextEncoder();

/** Remaining text budget of an answer. */
export class Budget {
  #left: number;

  constructor(bytes = MOST_TEXT_BYTES) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /** Returns the beginning of the text that fits, without splitting a character. */
  take(text: string): { text: string; isCut: boolean } {
    const { read, written } = encoder.encodeInto(text, new Uint8Array(this.#left));
    const isCut = read < text.length;
    this.#left = isCut ? 0 : this.#left - written;
    return { text: text.slice(0, read), isCut };
  }

  /** Returns whether the whole text fits. Only then it is counted. */
  takeWhole(text: string): boolean {
    const { read, written } = encoder.encodeInto(text, new Uint8Array(this.#left));
    if (read < text.length) return false;
    this.#left -= written;
    return true;
  }
}
