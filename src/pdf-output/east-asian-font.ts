import type { PdfGlyph } from './fonts.ts';
import { type PdfObjects, toHex4 } from './objects.ts';
import { buildToUnicodeMap } from './to-unicode.ts';

/**
 * Standard East Asian character collections of the PDF format. PDF readers display their characters with a
 * font of the reader's system.
 */
const ORDERS = {
  Japan1: { font: 'KozMinPro-Regular', encoding: 'UniJIS-UCS2-H', supplement: 4 },
  Korea1: { font: 'HYSMyeongJo-Medium', encoding: 'UniKS-UCS2-H', supplement: 1 },
  GB1: { font: 'STSong-Light', encoding: 'UniGB-UCS2-H', supplement: 4 },
} as const;

export type Order = keyof typeof ORDERS;

/**
 * Returns the character collection that contains an East Asian character. Returns `undefined` for other
 * characters and for code points above 0xFFFF.
 */
export function findEastAsianOrder(point: number): Order | undefined {
  if (point >= 0x3040 && point <= 0x30ff) return 'Japan1';
  if (point >= 0x1100 && point <= 0x11ff) return 'Korea1';
  if (point >= 0x3130 && point <= 0x318f) return 'Korea1';
  if (point >= 0xac00 && point <= 0xd7a3) return 'Korea1';
  if (point >= 0x2e80 && point <= 0x9fff) return 'GB1';
  if (point >= 0xf900 && point <= 0xfaff) return 'GB1';
  if (point >= 0xff00 && point <= 0xffef) return 'GB1';
  return undefined;
}

/**
 * East Asian font for PDF output. The file refers to the font by name, because embedding tens of thousands of
 * characters would make the file too large.
 */
export class EastAsianFont {
  readonly name: string;
  readonly #order: Order;
  readonly #used = new Map<string, PdfGlyph>();

  constructor(order: Order) {
    this.name = order;
    this.#order = order;
  }

  addCharacter(character: string): PdfGlyph {
    const known = this.#used.get(character);
    if (known) return known;
    const set = { font: this.name, code: character.charCodeAt(0), advance: 1000, text: character };
    this.#used.set(character, set);
    return set;
  }

  async *write(file: PdfObjects, at: number): AsyncGenerator<Uint8Array> {
    const { font, encoding, supplement } = ORDERS[this.#order];
    const [descendant, descriptor, unicode] = [file.reserve(), file.reserve(), file.reserve()];
    yield file.object(
      at,
      `<< /Type /Font /Subtype /Type0 /BaseFont /${font}-${encoding} /Encoding /${encoding} /DescendantFonts [${descendant} 0 R] /ToUnicode ${unicode} 0 R >>`,
    );
    yield file.object(
      descendant,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${font} /CIDSystemInfo << /Registry (Adobe) /Ordering (${this.#order}) /Supplement ${supplement} >> /FontDescriptor ${descriptor} 0 R /DW 1000 >>`,
    );
    yield file.object(
      descriptor,
      `<< /Type /FontDescriptor /FontName /${font} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>`,
    );
    const texts = [...this.#used.keys()].map(
      (character) => [toHex4(character.charCodeAt(0)), character] as const,
    );
    yield await file.compressedStream(unicode, '', buildToUnicodeMap(texts));
  }
}
