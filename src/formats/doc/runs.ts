import type { Run } from '#src/formats/shared/flow/runs.ts';
import { Fields } from './fields.ts';
import type { WordText } from './pieces.ts';
import type { CharacterLook, Looks } from './properties.ts';

export interface RunContext {
  source: WordText;
  characters: Looks<CharacterLook>;
  removeHidden: boolean;
  /** The mark shown where a note is referred to, by the place of the reference. */
  noteAt(position: number): string | undefined;
}

/** Below it, and the hyphen that is only shown at a line's end, are marks: a picture, a note, a field's parts. */
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
