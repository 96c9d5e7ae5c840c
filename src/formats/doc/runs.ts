import type { Run } from '#src/formats/shared/flow/runs.ts';
import type { WordText } from './pieces.ts';
import type { CharacterFormat, FormatIndex } from './properties.ts';

/**
 * Tracks Word fields, such as links and page numbers. A field has a hidden code, such as "HYPERLINK", and a
 * visible result.
 */
class Fields {
  readonly #open: { code: string; inResult: boolean; href?: string | undefined }[] = [];
  #ignored = 0;

  begin(): void {
    if (this.#open.length < MAX_DEPTH) this.#open.push({ code: '', inResult: false });
    else this.#ignored++;
  }

  separate(): void {
    const field = this.#open.at(-1);
    if (!field || this.#ignored > 0) return;
    field.inResult = true;
    field.href = /^\s*HYPERLINK\s+"([^"]+)"/.exec(field.code)?.[1];
  }

  end(): void {
    if (this.#ignored > 0) this.#ignored--;
    else this.#open.pop();
  }

  /**
   * Consumes text that belongs to a hidden field code. Returns false if the text is visible and must be
   * written.
   */
  consume(text: string): boolean {
    const hiding = this.#open.find((field) => !field.inResult);
    if (!hiding) return false;
    const last = this.#open.at(-1)!;
    if (!last.inResult && last.code.length < MAX_CODE) last.code += text;
    return true;
  }

  get href(): string | undefined {
    return this.#open.findLast((field) => field.href !== undefined)?.href;
  }
}

const MAX_DEPTH = 50;

const MAX_CODE = 4_000;

export interface RunContext {
  source: WordText;
  characters: FormatIndex<CharacterFormat>;
  removeHidden: boolean;
  /** Returns the mark of the note whose reference is at a text position, or `undefined` if there is none. */
  noteAt(position: number): string | undefined;
  /** Called for each passage whose deletion was recorded as a change. */
  countDeletion(): void;
}

/**
 * Lowest code of a printable character. Lower codes are control characters, such as field delimiters and
 * placeholders for pictures and notes.
 */
const FIRST_LETTER = 0x20;
const SOFT_HYPHEN = 0xad;
const SHOWN: Record<string, string> = { '\t': '\t', '\u000b': '\n', '\u001e': '-', '\u000e': '\n' };

/**
 * Converts ranges of a Word document's text to runs, which are pieces of text with one style. Fields may
 * continue in the next range.
 */
export class RunReader {
  readonly #context: RunContext;
  readonly #fields = new Fields();

  constructor(context: RunContext) {
    this.#context = context;
  }

  read(from: number, to: number): Run[] {
    const { source, characters, noteAt } = this.#context;
    const runs: Run[] = [];
    let last: CharacterFormat | undefined;
    let isInDeletion = false;
    for (let position = from; position < to; position++) {
      const character = source.text[position]!;
      const code = character.charCodeAt(0);
      const format = characters.at(source.getOffset(position));
      if (character === '\u0013') this.#fields.begin();
      else if (character === '\u0014') this.#fields.separate();
      else if (character === '\u0015') this.#fields.end();
      if (format.deleted && !isInDeletion && code >= FIRST_LETTER) this.#context.countDeletion();
      isInDeletion = format.deleted === true && (isInDeletion || code >= FIRST_LETTER);
      if (format.deleted || (format.hidden && this.#context.removeHidden)) continue;
      const mark = character === '\u0002' ? noteAt(position) : undefined;
      if (mark) runs.push({ text: '', markdown: `[^${mark}]` });
      const isMark = code < FIRST_LETTER || code === SOFT_HYPHEN;
      const text = isMark ? (SHOWN[character] ?? '') : character;
      if (text === '' || this.#fields.consume(text)) continue;
      const { href } = this.#fields;
      const { bold, italic, strike, script } = format;
      const open = runs.at(-1);
      if (open && open.markdown === undefined && last === format && open.href === href) open.text += text;
      else runs.push({ text, bold, italic, strike, script, href });
      last = format;
    }
    return runs;
  }
}
