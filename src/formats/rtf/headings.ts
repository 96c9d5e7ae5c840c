/** Maximum length of a style's name. Longer names would be searched again with each of their pieces. */
const MAX_NAME = 256;

/** Finds the styles of headings in the style table of an RTF document. */
export class RtfHeadings {
  readonly #levels = new Map<number, number>();
  #style = 0;
  #name = '';

  /** Returns the heading level of a style, or `undefined` if its paragraphs are no headings. */
  get(style: number): number | undefined {
    return this.#levels.get(style);
  }

  /** Reads a control word of the style table. */
  addWord(word: string, value: number | undefined): void {
    if (word === 's') this.#style = value ?? 0;
    else if (word === 'outlinelevel' && (value ?? 9) < 6) this.#levels.set(this.#style, (value ?? 0) + 1);
  }

  /** Reads a piece of a style's name, which ends with a semicolon. */
  addName(text: string): void {
    if (this.#name.length < MAX_NAME) this.#name += text.slice(0, MAX_NAME);
    if (!text.includes(';') && !this.#name.includes(';')) return;
    const level = /^heading (\d)/i.exec(this.#name.trim())?.[1];
    if (level) this.#levels.set(this.#style, Number(level));
    else if (/^(?:sub)?title;/i.test(this.#name.trim()))
      this.#levels.set(this.#style, /^sub/i.test(this.#name.trim()) ? 2 : 1);
    this.#name = '';
  }
}
