/** Fonts that every PDF reader provides, by their names in the page's resources. */
export type Face = 'regular' | 'bold' | 'mono';

export const BASE_FONTS: Record<Face, string> = {
  regular: 'Helvetica',
  bold: 'Helvetica-Bold',
  mono: 'Courier',
};

const widths = (table: string) => table.trim().split(/\s+/).map(Number);

/**
 * Widths of the characters U+0020 to U+007E in thousandths of the font size, from Adobe's metrics of the
 * standard PDF fonts.
 */
const REGULAR = widths(`
  278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556
  556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722
  778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278
  556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584
`);
const BOLD = widths(`
  278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556
  556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778
  667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611
  611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584
`);
const MONO_WIDTH = 600;
const MISSING_WIDTH = 600;

/**
 * Widths of non-ASCII characters in thousandths of the font size, for the character encoding WinAnsi. Letters
 * with diacritics are as wide as their base letter.
 */
const WIDE: Record<string, number> = {
  '…': 1000,
  '—': 1000,
  '™': 1000,
  '‰': 1000,
  Œ: 1000,
  œ: 944,
  Æ: 1000,
  æ: 889,
  '•': 350,
  '‘': 222,
  '’': 222,
  '‚': 222,
  '“': 333,
  '”': 333,
  '„': 333,
  '‹': 333,
  '›': 333,
  '\u00a0': 278,
  '·': 278,
  '°': 400,
  '©': 737,
  '®': 737,
  '×': 584,
  '÷': 584,
  '±': 584,
};

const CP1252_EXTRA = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';
const SUBSTITUTES: Record<string, string> = {
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '–',
  '\u2212': '–',
  '\u2032': "'",
  '\u2033': '"',
  '\u25cf': '•',
  '\u25e6': '•',
  '\u25aa': '•',
  '\uf0b7': '•',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
};

function getWinAnsiCode(character: string): number | undefined {
  const code = character.codePointAt(0)!;
  if ((code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff)) return code;
  const extra = CP1252_EXTRA.indexOf(character);
  return extra >= 0 && code !== 0 ? 0x80 + extra : undefined;
}

export interface Glyph {
  /** Character that the glyph represents. */
  character: string;
  /** Code of the character in the encoding WinAnsi. Undefined if the standard fonts lack the character. */
  code: number | undefined;
  /** Width of the glyph in thousandths of the font size. */
  width: number;
}

const INVISIBLE = /^[\p{Mn}\p{Cf}\p{Cc}]$/u;

/**
 * Converts text to glyphs of the standard PDF fonts. Letters whose diacritics the fonts lack lose them.
 * Characters of other scripts have no glyph.
 */
export function toGlyphs(text: string, face: Face): Glyph[] {
  const glyphs: Glyph[] = [];
  for (const character of text.normalize('NFC')) {
    if (character === '\t') for (const each of toGlyphs('    ', face)) glyphs.push(each);
    else if (!INVISIBLE.test(character)) glyphs.push(...toCharacterGlyphs(character, face));
  }
  return glyphs;
}

function toCharacterGlyphs(character: string, face: Face): Glyph[] {
  const code = getWinAnsiCode(character);
  if (code !== undefined) return [{ character, code, width: getCharacterWidth(character, face) }];
  if (/^\p{Zs}$/u.test(character))
    return [{ character: ' ', code: 0x20, width: getCharacterWidth(' ', face) }];
  const plain = SUBSTITUTES[character] ?? character.normalize('NFKD').replace(/\p{Mn}/gu, '');
  if (plain !== character && [...plain].every((each) => getWinAnsiCode(each) !== undefined)) {
    return [...plain].map((each) => ({
      character: each,
      code: getWinAnsiCode(each)!,
      width: getCharacterWidth(each, face),
    }));
  }
  return [{ character, code: undefined, width: face === 'mono' ? MONO_WIDTH : MISSING_WIDTH }];
}

function getCharacterWidth(character: string, face: Face): number {
  if (face === 'mono') return MONO_WIDTH;
  const table = face === 'bold' ? BOLD : REGULAR;
  const wide = WIDE[character];
  if (wide !== undefined) return wide;
  const base = character.normalize('NFD').codePointAt(0)!;
  return table[base - 0x20] ?? 556;
}
