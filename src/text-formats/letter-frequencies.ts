import { decodeCodePage } from './code-pages.ts';
import { countLatinBits, countLatinTextBits, LATIN_ENCODINGS, WESTERN_LANGUAGES } from './latin-letters.ts';
import { ARABIC, CYRILLIC, GREEK, HAN, HANGUL, HEBREW, KANJI } from './letters.ts';
import { decodeSample } from './sample.ts';
import { countSignBits } from './sign-bits.ts';

/**
 * Minimum difference in bits by which another encoding must be more probable than the usual one. Smaller
 * differences may be chance, because samples have few letters.
 */
const MIN_ADVANTAGE_BITS = 6;
const ASCII_BITS = 5;

/** Label of code page 437, the encoding of MS-DOS. WHATWG defines no label for it. */
export const DOS_LATIN = 'ibm437';

/**
 * Returns the WHATWG label of the encoding in which the letters of a sample are most probable. Rare letters
 * cost more bits than frequent ones, and the encoding with the lowest cost is returned. If the costs are
 * similar, `windows-1252` is returned. Only the encodings listed below are known.
 */
export function guessByLetters(sample: Uint8Array): string {
  return findLikeliest(sample, {
    label: 'windows-1252',
    bits: countLatinBits(sample, 'windows-1252') - MIN_ADVANTAGE_BITS,
  });
}

/** Guesses the encoding of names written by MS-DOS and its successors. In doubt it returns `DOS_LATIN`. */
export function guessDosByLetters(sample: Uint8Array): string {
  const dos = {
    label: DOS_LATIN,
    bits: countLatinTextBits(decodeCodePage(sample, 437), WESTERN_LANGUAGES) - MIN_ADVANTAGE_BITS,
  };
  const windows = { label: 'windows-1252', bits: countLatinBits(sample, 'windows-1252') };
  return findLikeliest(sample, windows.bits < dos.bits ? windows : dos);
}

function findLikeliest(sample: Uint8Array, fallback: { label: string; bits: number }): string {
  let best = fallback;
  const consider = (label: string, bits: number) => {
    if (bits < best.bits) best = { label, bits };
  };
  for (const encoding of EAST_ASIAN) consider(encoding.label, countEastAsianBits(sample, encoding));
  for (const [label, letters] of NON_LATIN_ALPHABETS)
    consider(label, countAlphabetBits(decodeSample(sample, label), letters));
  for (const label of LATIN_ENCODINGS) consider(label, countLatinBits(sample, label));
  return best.label;
}

interface EastAsian {
  label: string;
  common: ReadonlySet<string>;
  /** Range of the first bytes of characters in everyday use. Rare characters have other first bytes. */
  everyday: readonly [from: number, to: number];
  kana: boolean;
}

const EAST_ASIAN: readonly EastAsian[] = [
  { label: 'shift_jis', common: new Set(KANJI), everyday: [0x88, 0x98], kana: true },
  { label: 'euc-jp', common: new Set(KANJI), everyday: [0xb0, 0xcf], kana: true },
  { label: 'gb18030', common: new Set(HAN), everyday: [0xb0, 0xd7], kana: false },
  { label: 'big5', common: new Set(HAN), everyday: [0xa4, 0xc6], kana: false },
  { label: 'euc-kr', common: new Set(HANGUL), everyday: [0xb0, 0xc8], kana: false },
];

const HIRAGANA = /[\u3041-\u3096]/;
const KATAKANA = /[\u30a1-\u30fc]/;
const HALF_KATAKANA = /[\uff61-\uff9f]/;
/** Matches punctuation and full-width Latin letters in East Asian texts. */
const WIDE_SIGN = /[\u3000-\u301c\uff01-\uff5e\u2018-\u201d\u2026\u00b7]/;

/** Cost in bits of an ASCII letter next to a character of an East Asian script. */
const MIXED_WORD_BITS = 5;

function countEastAsianBits(sample: Uint8Array, { label, common, everyday, kana }: EastAsian): number {
  const text = decodeSample(sample, label);
  if (text === undefined) return Infinity;
  let bits = 0;
  let at = 0;
  let isAfterLetter = false;
  let isAfterWide = false;
  for (const character of text) {
    const lead = sample[at]!;
    at += getCharacterLength(sample, at, label);
    // Accented letters of Latin words look like single wide characters between ASCII letters.
    const isLatinLetter = lead < 0x80 && LETTER.test(character);
    if ((isAfterLetter && lead >= 0x80) || (isAfterWide && isLatinLetter)) bits += MIXED_WORD_BITS;
    [isAfterLetter, isAfterWide] = [isLatinLetter, lead >= 0x80];
    if (lead < 0x80) bits += ASCII_BITS;
    else if (common.has(character)) bits += 8.5;
    else if (HIRAGANA.test(character)) bits += kana ? 6 : 16;
    else if (KATAKANA.test(character)) bits += kana ? 8 : 16;
    else if (HALF_KATAKANA.test(character)) bits += 7;
    else if (WIDE_SIGN.test(character)) bits += 8;
    else bits += lead >= everyday[0] && lead <= everyday[1] ? 12 : 18;
  }
  return bits;
}

function getCharacterLength(bytes: Uint8Array, at: number, label: string): number {
  const lead = bytes[at]!;
  if (lead < 0x80 || (label === 'shift_jis' && lead >= 0xa1 && lead <= 0xdf)) return 1;
  if (label === 'euc-jp' && lead === 0x8f) return 3;
  const next = bytes[at + 1] ?? 0;
  return label === 'gb18030' && next >= 0x30 && next <= 0x39 ? 4 : 2;
}

const NON_LATIN_ALPHABETS: readonly [label: string, letters: ReadonlyMap<string, number>][] = [
  ['windows-1251', buildLetterBits(CYRILLIC)],
  ['koi8-r', buildLetterBits(CYRILLIC)],
  ['koi8-u', buildLetterBits(CYRILLIC)],
  ['iso-8859-5', buildLetterBits(CYRILLIC)],
  ['ibm866', buildLetterBits(CYRILLIC)],
  ['x-mac-cyrillic', buildLetterBits(CYRILLIC)],
  ['windows-1253', buildLetterBits(GREEK)],
  ['iso-8859-7', buildLetterBits(GREEK)],
  ['windows-1255', buildLetterBits(HEBREW)],
  ['windows-1256', buildLetterBits(ARABIC)],
  ['iso-8859-6', buildLetterBits(ARABIC)],
];

/**
 * Assigns each letter a cost in bits according to its rank by frequency. Lower-case and upper-case letters
 * have separate costs.
 */
function buildLetterBits(letters: string): ReadonlyMap<string, number> {
  return new Map(
    [...letters].flatMap((letter, rank): [string, number][] => {
      const bits = 3.3 + rank * 0.16;
      return [
        [letter, bits],
        [letter.toUpperCase(), bits],
      ];
    }),
  );
}

const LETTER = /\p{L}/u;
const isUpper = (letter: string) => letter !== letter.toLowerCase();
const isAscii = (letter: string) => letter < '\u0080';

/**
 * Additional cost in bits of a text with Latin words in which no two letters of the alphabet are adjacent. The lone
 * letters are rather signs, such as the fractions in "½ cup".
 */
const ONLY_LONE_LETTERS_BITS = 30;

/** Additional cost in bits of an upper-case letter, because most letters of a text are lower-case. */
const UPPER_CASE_BITS = 0.1;

/**
 * Returns the cost in bits of a text in a non-Latin alphabet. The cost rises if a word contains Latin
 * letters, or upper-case letters after lower-case ones. Returns Infinity if the text could not be decoded.
 */
function countAlphabetBits(text: string | undefined, letters: ReadonlyMap<string, number>): number {
  if (text === undefined) return Infinity;
  let bits = 0;
  let before = ' ';
  let hasWord = false;
  let hasAsciiLetter = false;
  for (const letter of text) {
    const known = letters.get(letter);
    if (isAscii(letter)) bits += ASCII_BITS;
    else bits += known ?? countSignBits(letter, before);
    if (known !== undefined && isUpper(letter)) bits += UPPER_CASE_BITS;
    const inWord = LETTER.test(letter) && LETTER.test(before);
    if (inWord && isAscii(letter) !== isAscii(before)) bits += 8;
    else if (inWord && isUpper(letter) && !isUpper(before)) bits += 6;
    else if (known !== undefined && !inWord) bits += 1;
    hasWord ||= inWord && known !== undefined && letters.has(before);
    hasAsciiLetter ||= isAscii(letter) && LETTER.test(letter);
    before = letter;
  }
  return hasAsciiLetter && !hasWord ? bits + ONLY_LONE_LETTERS_BITS : bits;
}
