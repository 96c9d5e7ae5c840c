/** Maximum bytes of document text in one answer, in UTF-8. */
export const MOST_TEXT_BYTES = 100 * 1024;

const encoder = new TextEncoder();

/** Tracks how many bytes of document text an answer may still contain. */
export class Budget {
  #left: number;

  constructor(bytes = MOST_TEXT_BYTES) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /**
   * Returns as much of the text's beginning as the remaining budget allows, without splitting a character.
   */
  take(text: string): { text: string; isCut: boolean } {
    const { read, written } = encoder.encodeInto(text, new Uint8Array(this.#left));
    const isCut = read < text.length;
    this.#left = isCut ? 0 : this.#left - written;
    return { text: text.slice(0, read), isCut };
  }

  /**
   * Returns whether the whole text fits into the remaining budget. A text that does not fit uses none of the
   * budget.
   */
  takeWhole(text: string): boolean {
    const { read, written } = encoder.encodeInto(text, new Uint8Array(this.#left));
    if (read < text.length) return false;
    this.#left -= written;
    return true;
  }
}
