/** Maximum number of characters of an option in brackets. */
const MAX_OPTION_CHARACTERS = 1_000;
const UNKNOWN = -1;

/** Returns the position of the closing brace for each opening brace of a text; -1 if a brace is not closed. */
function matchBraces(text: string): Int32Array {
  const closing = new Int32Array(text.length).fill(UNKNOWN);
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '{') open.push(at);
    else if (character === '}') {
      const start = open.pop();
      if (start !== undefined) closing[start] = at;
    }
  }
  return closing;
}

/** Cursor over the text of a LaTeX document. */
export class LatexReader {
  readonly text: string;
  at = 0;
  readonly #closing: Int32Array;
  readonly #missing = new Set<string>();

  constructor(text: string) {
    this.text = text;
    this.#closing = matchBraces(text);
  }

  /** Returns the position of the brace that closes the group at a position, or -1. */
  findGroupEnd(at: number): number {
    return this.#closing[at] ?? UNKNOWN;
  }

  /** Finds a text after the current position. A text that is missing in the rest is looked for only once. */
  find(mark: string, from = this.at): number {
    if (this.#missing.has(mark)) return -1;
    const found = this.text.indexOf(mark, from);
    if (found < 0) this.#missing.add(mark);
    return found;
  }

  /** Skips blanks and at most one line end. */
  skipBlanks(): void {
    let lines = 0;
    let { at } = this;
    for (; at < this.text.length && /\s/.test(this.text[at]!); at++) {
      if (this.text[at] === '\n' && ++lines > 1) return;
    }
    this.at = at;
  }

  skipStar(): boolean {
    if (this.text[this.at] !== '*') return false;
    this.at++;
    return true;
  }

  isAtGroup(): boolean {
    const before = this.at;
    this.skipBlanks();
    if (this.text[this.at] === '{') return true;
    this.at = before;
    return false;
  }

  /** Reads a group in braces without interpreting it. Returns `undefined` if none follows. */
  readGroup(): string | undefined {
    if (!this.isAtGroup()) return undefined;
    const end = this.findGroupEnd(this.at);
    if (end < 0) return undefined;
    const group = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return group;
  }

  /** Reads an option in brackets without interpreting it. Returns `undefined` if none follows. */
  readOption(): string | undefined {
    const before = this.at;
    this.skipBlanks();
    if (this.text[this.at] === '[') {
      const most = Math.min(this.text.length, this.at + MAX_OPTION_CHARACTERS);
      for (let at = this.at + 1; at < most; at++) {
        const character = this.text[at];
        if (character === '\\') at++;
        else if (character === '{') at = Math.max(at, this.findGroupEnd(at));
        else if (character === ']') {
          const option = this.text.slice(this.at + 1, at);
          this.at = at + 1;
          return option;
        } else if (character === '}') break;
      }
    }
    this.at = before;
    return undefined;
  }

  /** Skips a length such as `= -3pt plus 1fil`. */
  skipLength(): void {
    const near = this.text.slice(this.at, this.at + 80);
    const length =
      /^[ \t]{0,9}(?:by)?[ \t]{0,9}=?[ \t]{0,9}[+-]?(?:[\d.,]{1,12}[ \t]{0,9}(?:true)?(?:pt|em|ex|cm|mm|in|pc|bp|sp|mu|fill?l?)?|\\[a-zA-Z]{1,30})(?:[ \t]{1,9}(?:plus|minus)[ \t]{0,9}[\d.]{1,9}[ \t]{0,9}[a-z]{0,5}){0,2}/.exec(
        near,
      );
    if (length && !/^[ \t]*$/.test(length[0])) this.at += length[0].length;
  }
}
