/** Text that is being read, and the position in it. */
export interface Frame {
  text: string;
  at: number;
}

/** Maximum number of characters in an argument of a macro. Longer arguments are not looked for. */
const MAX_ARGUMENT_CHARACTERS = 20_000;
const MAX_INSERTED_CHARACTERS = 500_000;
/** Maximum number of texts that macros put before the rest of the document at the same time. */
const MAX_FRAMES = 500;

/**
 * Text of a LaTeX document together with the texts that macros inserted at the current position. Reading
 * arguments costs work, which is limited so that nested macros cannot make it more than linear.
 */
export class Source {
  readonly #frames: Frame[];
  #work: number;

  constructor(text: string, work: number) {
    this.#frames = [{ text, at: 0 }];
    this.#work = work;
  }

  /** True if some text was not inserted, or an argument was not read, because of a limit. */
  isLimited = false;

  get #isSpent(): boolean {
    return this.#work <= 0;
  }

  /** Returns the current text and position, or `undefined` at the end of the document. */
  get frame(): Frame | undefined {
    let top = this.#frames.at(-1);
    while (top && top.at >= top.text.length) {
      this.#frames.pop();
      top = this.#frames.at(-1);
    }
    return top;
  }

  /** Returns whether a text of this length may still be inserted. */
  canAfford(length: number): boolean {
    const canAfford = length <= MAX_INSERTED_CHARACTERS && length < this.#work;
    if (!canAfford) this.isLimited = true;
    return canAfford;
  }

  /**
   * Inserts a text at the current position. Returns false if the limit of work is reached. `work` is the number of
   * characters that were read to write the text.
   */
  push(text: string, work = 0): boolean {
    this.#work -= text.length + work + 10;
    if (this.#isSpent || (this.frame && this.#frames.length >= MAX_FRAMES)) {
      this.isLimited = true;
      return false;
    }
    this.#frames.push({ text, at: 0 });
    return true;
  }

  skipStar(): void {
    const frame = this.#skipBlanks();
    if (frame?.text[frame.at] === '*') frame.at++;
  }

  readOption(): string | undefined {
    return this.#readEnclosed('[', ']');
  }

  readGroup(): string | undefined {
    return this.#readEnclosed('{', '}');
  }

  /** Reads a group, a command or a single character. */
  readArgument(): string | undefined {
    const frame = this.#skipBlanks();
    if (!frame) return undefined;
    const { text, at } = frame;
    if (text[at] === '{') return this.readGroup();
    if (text[at] === '}') return undefined;
    const found =
      text[at] === '\\' ? /^\\(?:[a-zA-Z@]{1,100}|[\s\S])/.exec(text.slice(at, at + 101)) : undefined;
    const argument = found?.[0] ?? text[at]!;
    frame.at += argument.length;
    return argument;
  }

  /** Reads the parameters of a definition, which end where its body begins. */
  readUntilBrace(): string {
    const { frame } = this;
    if (!frame) return '';
    const near = frame.text.slice(frame.at, frame.at + 100);
    const length = near.indexOf('{');
    if (length < 0) return '{';
    frame.at += length;
    return near.slice(0, length);
  }

  /** Skips blanks and single line ends. Returns the frame, unless an empty line or the end follows. */
  #skipBlanks(): Frame | undefined {
    for (;;) {
      const { frame } = this;
      if (!frame) return undefined;
      let { at } = frame;
      let lines = 0;
      while (at < frame.text.length && /\s/.test(frame.text[at]!)) if (frame.text[at++] === '\n') lines++;
      this.#work -= at - frame.at;
      if (lines > 1) return undefined;
      frame.at = at;
      if (at < frame.text.length) return frame;
    }
  }

  #readEnclosed(open: string, close: string): string | undefined {
    const frame = this.#skipBlanks();
    if (!frame || frame.text[frame.at] !== open || this.#isSpent) return undefined;
    const { text } = frame;
    const start = frame.at + 1;
    const end = Math.min(text.length, start + MAX_ARGUMENT_CHARACTERS);
    let depth = 0;
    for (let at = start; at < end; at++) {
      const character = text[at];
      if (character === '\\') at++;
      else if (depth === 0 && character === close) {
        this.#work -= at - start;
        frame.at = at + 1;
        return text.slice(start, at);
      } else if (character === '{') depth++;
      else if (character === '}' && --depth < 0) break;
    }
    this.#work -= end - start;
    if (end < text.length) this.isLimited = true;
    return undefined;
  }
}
