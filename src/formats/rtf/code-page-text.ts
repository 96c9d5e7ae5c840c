import { decodeCodePage, isLeadByte } from '#src/text-formats/code-pages.ts';
import { getCharsetCodePage } from './state.ts';

/** Number of bytes after which text is decoded, so that long texts do not wait in memory as lists of numbers. */
const MAX_PENDING = 4096;
/** Maximum number of fallback characters that may follow a Unicode character. */
const MAX_FALLBACK = 16;

/** Control words that select the code page of the document. */
const PAGES: ReadonlyMap<string, number> = new Map([
  ['mac', 10000],
  ['pc', 437],
  ['pca', 850],
]);

/**
 * Decodes the text of an RTF file. Bytes have the code page of their font or of the document. A Unicode character is
 * followed by fallback characters for older programs, which are skipped.
 */
export class CodePageText {
  readonly #fontPages = new Map<number, number>();
  #page = 1252;
  #pending: number[] = [];
  #toSkip = 0;
  #highSurrogate = '';

  /** Adds bytes, except for those of fallback characters. `isKept` is false if the text is not read. */
  add(bytes: ArrayLike<number>, isKept = true): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#toSkip > 0) this.#toSkip--;
      else if (isKept) this.#pending.push(bytes[at]!);
    }
  }

  /** Returns whether many bytes are pending and no character may be divided after them. */
  isFull(font: number): boolean {
    return this.#pending.length > MAX_PENDING && !isLeadByte(this.#pending.at(-1)!, this.#getPage(font));
  }

  /** Returns the pending bytes. Returns `undefined` if there are none. */
  takeBytes(): Uint8Array | undefined {
    if (this.#pending.length === 0) return undefined;
    const bytes = Uint8Array.from(this.#pending);
    this.#pending = [];
    return bytes;
  }

  decode = (bytes: Uint8Array, font: number): string => decodeCodePage(bytes, this.#getPage(font));

  /** Returns whether a control symbol is a fallback character, and counts it. */
  skipsSymbol(word: string): boolean {
    if (this.#toSkip === 0 || word.length !== 1) return false;
    this.#toSkip--;
    return true;
  }

  /** Ends the skipping of fallback characters, because a group starts or ends. */
  endFallback(): void {
    this.#toSkip = 0;
  }

  /**
   * Returns the character of the control word `\u`, whose fallback of a number of characters is skipped. Returns an
   * empty text for the first half of a surrogate pair.
   */
  readUnicode(value: number, fallback: number): string {
    this.#toSkip = fallback;
    const unit = String.fromCharCode(value < 0 ? value + 0x10000 : value);
    if (unit >= '\ud800' && unit <= '\udbff') {
      this.#highSurrogate = unit;
      return '';
    }
    const character = this.#highSurrogate + unit;
    this.#highSurrogate = '';
    return character;
  }

  /** Applies a control word that selects the code page of the document. Returns false for other control words. */
  setPage(word: string, value: number | undefined): boolean {
    const page = word === 'ansicpg' ? (value ?? 1252) : PAGES.get(word);
    this.#page = page ?? this.#page;
    return page !== undefined;
  }

  setCharset(font: number, charset: number): void {
    const page = getCharsetCodePage(charset);
    if (page !== undefined) this.#fontPages.set(font, page);
  }

  #getPage(font: number): number {
    return this.#fontPages.get(font) ?? this.#page;
  }
}

/** Returns the number of fallback characters that the control word `\uc` announces. */
export const limitFallback = (value: number | undefined): number =>
  Math.min(MAX_FALLBACK, Math.max(0, value ?? 1));
