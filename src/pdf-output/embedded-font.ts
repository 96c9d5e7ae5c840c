import type { Font } from 'fontkit';
import type { PdfGlyph } from './fonts.ts';
import { formatNumber, type PdfObjects, toHex4 } from './objects.ts';
import { buildToUnicodeMap } from './to-unicode.ts';

/**
 * Maximum number of character codes in one font. A code has two bytes. Code 0 is not used, because some PDF
 * readers treat it as the end of a text.
 */
const MAX_CODES = 0xffff;

/**
 * Font that is embedded into a PDF with only its used glyphs. Each pair of a glyph and its text has its own
 * code, so that PDF readers extract the correct text.
 */
export class EmbeddedFont {
  readonly name: string;
  readonly #font: Font;
  readonly #glyphs = new Map<string, PdfGlyph>();
  readonly #used: { glyph: number; advance: number; text: string }[] = [];

  constructor(name: string, font: Font) {
    this.name = name;
    this.#font = font;
  }

  get isFull(): boolean {
    return this.#used.length >= MAX_CODES - 1;
  }

  /**
   * Adds a glyph and the text that it stands for. `units` is the advance width of the glyph in font units.
   */
  addGlyph(glyph: number, units: number, text: string): PdfGlyph {
    const advance = (units * 1000) / this.#font.unitsPerEm;
    const key = `${glyph} ${Math.round(advance)} ${text}`;
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
      // Glyph 0 is drawn for characters that the font lacks. It is always part of the embedded font and keeps
      // its number.
      const id = glyph === 0 ? 0 : subset.includeGlyph(glyph);
      map.set([id >> 8, id & 0xff], (index + 1) * 2);
    }
    const name = `SLUICE+${this.#font.postscriptName}`;
    const widths = this.#used.map(({ advance }) => formatNumber(advance)).join(' ');
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
    yield await file.compressedStream(program!, `/Length1 ${bytes.byteLength}`, bytes);
    yield await file.compressedStream(glyphs!, '', map);
    const texts = this.#used.map(({ text }, index) => [toHex4(index + 1), text] as const);
    yield await file.compressedStream(unicode!, '', buildToUnicodeMap(texts));
  }
}
