import type { Font } from 'fontkit';
import type { SetGlyph } from './fonts.ts';
import { hex4, number, type PdfObjects } from './objects.ts';
import { toUnicode } from './to-unicode.ts';

/** Codes have two bytes; the first is left to readers that take it for the end of a text. */
const MOST_CODES = 0xffff;

/**
 * A font whose used glyphs become part of the file. Each pair of a glyph and the text it stands for has a code of its
 * own, so that the text can be read whatever glyph shows it.
 */
export class EmbeddedFont {
  readonly name: string;
  readonly #font: Font;
  readonly #glyphs = new Map<string, SetGlyph>();
  readonly #used: { glyph: number; advance: number; text: string }[] = [];

  constructor(name: string, font: Font) {
    this.name = name;
    this.#font = font;
  }

  get isFull(): boolean {
    return this.#used.length >= MOST_CODES - 1;
  }

  /** `units`: how far it moves on, in units of the font. */
  use(glyph: number, units: number, text: string): SetGlyph {
    const advance = (units * 1000) / this.#font.unitsPerEm;
    const key = `${glyph} ${Math.round(advance)} ${text}`;
    // Lines of a long text share one object for each of its letters.
    let set = this.#glyphs.get(key);
    if (!set) {
      const code = this.#used.push({ glyph, advance, text });
      set = { font: this.name, code, advance, text };
      this.#glyphs.set(key, set);
    }
    return set;
  }

  async *write(file: PdfObjects, at: number): AsyncGenerator<Uint8Array> {
    const [descendant, descriptor, program, glyphs, unicode] = Array.from({ length: 5 }, () =>
      file.reserve(),
    );
    const subset = this.#font.createSubset();
    const map = new Uint8Array((this.#used.length + 1) * 2);
    for (const [index, { glyph }] of this.#used.entries()) {
      // The glyph of what is missing is always there, under its own number.
      const id = glyph === 0 ? 0 : subset.includeGlyph(glyph);
      map.set([id >> 8, id & 0xff], (index + 1) * 2);
    }
    const name = `SLUICE+${this.#font.postscriptName}`;
    const widths = this.#used.map(({ advance }) => number(advance)).join(' ');
    const { ascent, descent, capHeight, bbox, unitsPerEm } = this.#font;
    const scaled = (units: number) => Math.round((units * 1000) / unitsPerEm);
    const box = [bbox.minX, bbox.minY, bbox.maxX, bbox.maxY].map(scaled).join(' ');
    yield file.object(
      at,
      `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${unicode} 0 R >>`,
    );
    yield file.object(
      descendant!,
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ${descriptor} 0 R /CIDToGIDMap ${glyphs} 0 R /W [1 [${widths}]] >>`,
    );
    yield file.object(
      descriptor!,
      `<< /Type /FontDescriptor /FontName /${name} /Flags 4 /FontBBox [${box}] /ItalicAngle 0 /Ascent ${scaled(ascent)} /Descent ${scaled(descent)} /CapHeight ${scaled(capHeight)} /StemV 80 /FontFile2 ${program} 0 R >>`,
    );
    const bytes = subset.encode();
    yield await file.packed(program!, `/Length1 ${bytes.byteLength}`, bytes);
    yield await file.packed(glyphs!, '', map);
    const texts = this.#used.map(({ text }, index) => [hex4(index + 1), text] as const);
    yield await file.packed(unicode!, '', toUnicode(texts));
  }
}
