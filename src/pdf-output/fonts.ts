import { EastAsianFont, findEastAsianOrder, type Order } from './east-asian-font.ts';
import { EmbeddedFont } from './embedded-font.ts';
import { type Face, getFontProgram } from './font-programs.ts';
import type { PdfObjects } from './objects.ts';

/** A glyph as it is written to a PDF: a character code in one of the fonts that the page uses. */
export interface PdfGlyph {
  font: string;
  code: number;
  /** Advance width of the glyph, in thousandths of the font size. */
  advance: number;
  text: string;
}

/**
 * Matches scripts that need text shaping. Their letters change shape, combine with other letters, or run from
 * right to left.
 */
const SHAPED =
  /[\u0300-\u036f\u0590-\u08ff\u0900-\u0dff\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** Characters that are not displayed: control characters, direction marks and joiners. */
const INVISIBLE = /^[\p{Cc}\p{Cf}]$/u;

/** Manages the fonts of one PDF and records which glyphs have to be embedded. */
export class Fonts {
  readonly #embedded = new Map<string, EmbeddedFont>();
  readonly #eastAsian = new Map<Order, EastAsianFont>();
  /**
   * Number of characters that no font contains. They are drawn as boxes, but their text can still be searched
   * and copied.
   */
  missingGlyphs = 0;

  /** Converts a word to glyphs in their visual order from left to right. */
  toGlyphs(text: string, face: Face): PdfGlyph[] {
    if (SHAPED.test(text)) return this.#shapeText(text, face);
    const glyphs: PdfGlyph[] = [];
    for (const character of text)
      if (!INVISIBLE.test(character)) glyphs.push(this.#getGlyph(character, face));
    return glyphs;
  }

  #getGlyph(character: string, face: Face): PdfGlyph {
    const point = character.codePointAt(0)!;
    const from = [face, 'regular' as const].find((each) => getFontProgram(each).hasGlyphForCodePoint(point));
    if (from) {
      const glyph = getFontProgram(from).glyphForCodePoint(point);
      return this.#getEmbeddedFont(from).addGlyph(glyph.id, glyph.advanceWidth, character);
    }
    const order = findEastAsianOrder(point);
    if (order) return this.#getEastAsianFont(order).addCharacter(character);
    this.missingGlyphs += 1;
    const blank = getFontProgram(face).glyphForCodePoint(0);
    return this.#getEmbeddedFont(face).addGlyph(0, blank.advanceWidth, character);
  }

  /**
   * Shapes a word in a script whose letters change or combine. If no single font contains all characters of
   * the word, converts it letter by letter.
   */
  #shapeText(text: string, face: Face): PdfGlyph[] {
    const from = [face, 'regular' as const].find((each) =>
      [...text].every(
        (character) =>
          INVISIBLE.test(character) || getFontProgram(each).hasGlyphForCodePoint(character.codePointAt(0)!),
      ),
    );
    if (!from) {
      const visible = [...text].filter((character) => !INVISIBLE.test(character));
      return visible.map((character) => this.#getGlyph(character, face));
    }
    const { glyphs, positions } = getFontProgram(from).layout(text);
    const set = glyphs.map((glyph, at) =>
      this.#getEmbeddedFont(from).addGlyph(
        glyph.id,
        positions[at]!.xAdvance,
        String.fromCodePoint(
          ...glyph.codePoints.filter((point) => !INVISIBLE.test(String.fromCodePoint(point))),
        ),
      ),
    );
    return set;
  }

  /**
   * Returns an embedded font of the given style that still has free character codes. Creates another font if
   * all existing ones are full.
   */
  #getEmbeddedFont(face: Face): EmbeddedFont {
    for (let at = 1; ; at += 1) {
      const name = `${face}${at}`;
      const font = this.#embedded.get(name);
      if (font && !font.isFull) return font;
      if (font) continue;
      const opened = new EmbeddedFont(name, getFontProgram(face));
      this.#embedded.set(name, opened);
      return opened;
    }
  }

  #getEastAsianFont(order: Order): EastAsianFont {
    const font = this.#eastAsian.get(order) ?? new EastAsianFont(order);
    this.#eastAsian.set(order, font);
    return font;
  }

  /**
   * Writes the embedded fonts with their used glyphs. Returns the font entries for the resources of the
   * pages.
   */
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
