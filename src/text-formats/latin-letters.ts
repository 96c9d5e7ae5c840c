import { smallest } from '#src/lib/extremes.ts';
import { LETTER_PAIRS } from './letter-pairs.ts';
import { decodeSample } from './sample.ts';
import { countSignBits, IN_WORDS } from './sign-bits.ts';

type Language = keyof typeof LETTER_PAIRS;

/** Frequencies of the accented letters of a language. */
interface Frequencies {
  /** Cost in bits of each pair of a letter and the letter before it. */
  pairs: ReadonlyMap<string, number>;
  letters: ReadonlySet<string>;
}

const LETTER = /\p{L}/u;
const isAscii = (letter: string) => letter < '\u0080';
const ASCII_BITS = 5;
/** Cost in bits of the most frequent pair. Each doubling of the rank costs one bit more. */
const FIRST_PAIR_BITS = 3;
/** Costs in bits of a letter of the language in an unusual place, and of a letter of another language. */
const [RARE_PAIR_BITS, FOREIGN_LETTER_BITS] = [9, 14];
/**
 * Additional cost in bits of a sign between two letters of a word, such as the dash in "Pi–a". Apostrophes and
 * hyphens have no additional cost.
 */
const SIGN_IN_WORD_BITS = 6;
/** Additional cost in bits of an encoding that is rarely used. */
const RARE_ENCODING_BITS = 6;

const select = (languages: string) =>
  languages.split(' ').map((language) => buildFrequencies(LETTER_PAIRS[language as Language]));

export const WESTERN_LANGUAGES = select('de fr es it pt nl sv da no fi is ca gl ga et sq');
const CENTRAL = select('cs sk pl hu hr sl ro sq de');
const BALTIC = select('lt lv et');

/** Languages that are written in each encoding, and the additional cost of the encoding in bits. */
const ENCODINGS: Readonly<Record<string, readonly [languages: readonly Frequencies[], bits: number]>> = {
  'windows-1252': [WESTERN_LANGUAGES, 0],
  'iso-8859-15': [WESTERN_LANGUAGES, 2],
  'windows-1250': [CENTRAL, 1],
  'iso-8859-2': [CENTRAL, 1],
  'windows-1254': [select('tr'), 1],
  'windows-1257': [BALTIC, 1],
  'iso-8859-13': [BALTIC, 2],
  'iso-8859-4': [BALTIC, RARE_ENCODING_BITS],
  'iso-8859-3': [select('mt'), RARE_ENCODING_BITS],
  'iso-8859-14': [select('cy ga'), RARE_ENCODING_BITS],
  macintosh: [WESTERN_LANGUAGES, RARE_ENCODING_BITS],
};

/** Labels of the encodings of Latin letters whose letters are known. */
export const LATIN_ENCODINGS: readonly string[] = Object.keys(ENCODINGS);

function buildFrequencies(list: string): Frequencies {
  const pairs = new Map<string, number>();
  for (let at = 0; at < list.length; at += 2) {
    pairs.set(list.slice(at, at + 2), FIRST_PAIR_BITS + Math.log2(at / 2 + 1));
  }
  return { pairs, letters: new Set([...list].filter((letter) => !isAscii(letter))) };
}

/**
 * Returns the cost in bits of a sample in an encoding of Latin letters. Returns Infinity for other encodings and
 * for a sample that the encoding cannot decode.
 */
export function countLatinBits(sample: Uint8Array, label: string): number {
  const encoding = ENCODINGS[label];
  const text = decodeSample(sample, label);
  if (!encoding || text === undefined) return Infinity;
  return countLatinTextBits(text, encoding[0]) + encoding[1];
}

/** Returns the cost in bits of a text in the language in which it is most probable. */
export function countLatinTextBits(text: string, languages: readonly Frequencies[]): number {
  const inEach = new Float64Array(languages.length);
  let shared = 0;
  let before = ' ';
  let isAfterSign = false;
  for (const character of text) {
    const letter = character.toLowerCase();
    const isLetter = LETTER.test(letter);
    if (isAfterSign && isLetter) shared += SIGN_IN_WORD_BITS;
    isAfterSign = !isLetter && !isAscii(letter) && !IN_WORDS.test(letter) && LETTER.test(before);
    if (isAscii(letter)) shared += ASCII_BITS;
    else if (isLetter) {
      const place = LETTER.test(before) ? before : ' ';
      for (const [at, language] of languages.entries())
        inEach[at]! += countLetterBits(language, place, letter);
    } else shared += countSignBits(letter, before);
    before = letter;
  }
  return shared + smallest([...inEach], Infinity);
}

function countLetterBits({ pairs, letters }: Frequencies, before: string, letter: string): number {
  return pairs.get(before + letter) ?? (letters.has(letter) ? RARE_PAIR_BITS : FOREIGN_LETTER_BITS);
}
