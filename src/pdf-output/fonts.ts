import { EastAsianFont, eastAsianOrder, type Order } from './east-asian-font.ts';
import { EmbeddedFont } from './embedded-font.ts';
import { type Face, fontProgram } from './font-programs.ts';
import type { PdfObjects } from './objects.ts';

/** A glyph as it is written: its code in the font of that name in the resources. */
export interface SetGlyph {
  font: string;
  code: number;
  /** Thousandths of the size. */
  advance: number;
  /** What it stands for. */
  text: string;
}

/** Scripts whose letters look different beside each other, stand on each other, or run to the left. */
const SHAPED =
  /[\u0300-\u036f\u0590-\u08ff\u0900-\u0dff\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** Nothing to be seen: controls, marks of direction, joiners on their own. */
const INVISIBLE = /^[\p{Cc}\p{Cf}]$/u;

/** The fonts of one file: which glyphs of them are used, and so belong into it. */
export class Fonts {
  readonly #embedded = new Map<string, EmbeddedFont>();
  readonly #eastAsian = new Map<Order, EastAsianFont>();
  /** Characters that no font of the house has: their places are boxes, their text can be read and copied. */
  missing = 0;

  /** The glyphs of a word from left to right. */
  set(text: string, face: Face): SetGlyph[] {
    if (SHAPED.test(text)) return this.#shaped(text, face);
    const glyphs: SetGlyph[] = [];
    for (const character of text) if (!INVISIBLE.test(character)) glyphs.push(this.#one(character, face));
    return glyphs;
  }

  #one(character: string, face: Face): SetGlyph {
    const point = character.codePointAt(0)!;
    const from = [face, 'regular' as const].find((each) => fontProgram(each).hasGlyphForCodePoint(point));
    if (from) {
      const glyph = fontProgram(from).glyphForCodePoint(point);
      return this.#font(from).use(glyph.id, glyph.advanceWidth, character);
    }
    const order = eastAsianOrder(point);
    if (order) return this.#named(order).use(character);
    this.missing += 1;
    const blank = fontProgram(face).glyphForCodePoint(0);
    return this.#font(face).use(0, blank.advanceWidth, character);
  }

  /** What no font can shape is set letter by letter. */
  #shaped(text: string, face: Face): SetGlyph[] {
    const from = [face, 'regular' as const].find((each) =>
      [...text].every(
        (character) =>
          INVISIBLE.test(character) || fontProgram(each).hasGlyphForCodePoint(character.codePointAt(0)!),
      ),
    );
    if (!from) {
      const visible = [...text].filter((character) => !INVISIBLE.test(character));
      return visible.map((character) => this.#one(character, face));
    }
    const { glyphs, positions } = fontProgram(from).layout(text);
    const set = glyphs.map((glyph, at) =>
      this.#font(from).use(
        glyph.id,
        positions[at]!.xAdvance,
        String.fromCodePoint(
          ...glyph.codePoints.filter((point) => !INVISIBLE.test(String.fromCodePoint(point))),
        ),
      ),
    );
    return set;
  }

  /** The one with room of a face: a font has so many codes. */
  #font(face: Face): EmbeddedFont {
    for (let at = 1; ; at += 1) {
      const name = `${face}${at}`;
      const font = this.#embedded.get(name);
      if (font && !font.isFull) return font;
      if (font) continue;
      const opened = new EmbeddedFont(name, fontProgram(face));
      this.#embedded.set(name, opened);
      return opened;
    }
  }

  #named(order: Order): EastAsianFont {
    const font = this.#eastAsian.get(order) ?? new EastAsianFont(order);
    this.#eastAsian.set(order, font);
    return font;
  }

  /** Writes what is used of them. Answers with their entries in the resources. */
  async *write(file: PdfObjects): AsyncGenerator<Uint8Array, string> {
    const entries: string[] = [];
    for (const font of [...this.#embedded.values(), ...this.#eastAsian.values()]) {
      const number = file.reserve();
      entries.push(`/${font.name} ${number} 0 R`);
      yield* font.write(file, number);
    }
    return entries.join(' ');
  }
}
