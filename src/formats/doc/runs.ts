import type { Run } from '#src/formats/shared/flow/runs.ts';
import type { WordText } from './pieces.ts';
import type { CharacterLook, Looks } from './properties.ts';

/** Tracks fields, which contain a hidden code ("HYPERLINK", "PAGE") and a visible result. */
class Fields {
  readonly #open: { code: string; inResult: boolean; href?: string | undefined }[] = [];
  /** Depth of ignored fields beyond the maximum nesting. */
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

  /** Consumes field codes. Returns false for visible text. */
  takes(text: string): boolean {
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
  characters: Looks<CharacterLook>;
  removeHidden: boolean;
  /** Returns the mark of the note that is referred to at a position. */
  noteAt(position: number): string | undefined;
}

/** Characters below this value, and the optional hyphen, are marks: pictures, notes and field delimiters. */
const FIRST_LETTER = 0x20;
const SOFT_HYPHEN = 0xad;
const SHOWN: Record<string, string> = { '\t': '\t', '\u000b': '\n', '\u001e': '-', '\u000e': '\n' };

/** Reads stretches of text as runs. Fields may go on from one stretch to the next. */
export class RunReader {
  readonly #context: RunContext;
  readonly #fields = new Fields();

  constructor(context: RunContext) {
    this.#context = context;
  }

  read(from: number, to: number): Run[] {
    const { source, characters, noteAt } = this.#context;
    const runs: Run[] = [];
    let last: CharacterLook | undefined;
    for (let position = from; position < to; position++) {
      const character = source.text[position]!;
      const look = characters.at(source.offsetOf(position));
      if (character === '\u0013') this.#fields.begin();
      else if (character === '\u0014') this.#fields.separate();
      else if (character === '\u0015') this.#fields.end();
      if (look.deleted || (look.hidden && this.#context.removeHidden)) continue;
      const mark = character === '\u0002' ? noteAt(position) : undefined;
      if (mark) runs.push({ text: '', markdown: `[^${mark}]` });
      const code = character.charCodeAt(0);
      const isMark = code < FIRST_LETTER || code === SOFT_HYPHEN;
      const text = isMark ? (SHOWN[character] ?? '') : character;
      if (text === '' || this.#fields.takes(text)) continue;
      const { href } = this.#fields;
      const open = runs.at(-1);
      if (open && open.markdown === undefined && last === look && open.href === href) open.text += text;
      else runs.push({ text, bold: look.bold, italic: look.italic, strike: look.strike, href });
      last = look;
    }
    return runs;
  }
}
