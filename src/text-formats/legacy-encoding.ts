import { detectAll } from 'jschardet';
import { detectLanguage } from '#src/languages/detect.ts';
import { countLatinBits } from './latin-letters.ts';
import { guessByLetters, guessDosByLetters } from './letter-frequencies.ts';
import { decodeSample, takeSample } from './sample.ts';

export { DOS_LATIN } from './letter-frequencies.ts';

/**
 * Encodings that the library jschardet may return, by the library's own names. Each encoding has a WHATWG
 * label.
 */
const CANDIDATES = [
  ...['cp874', 'cp1250', 'cp1251', 'cp1252', 'cp1253', 'cp1254', 'cp1255', 'cp1256', 'cp1257', 'cp1258'],
  ...['iso8859-2', 'iso8859-5', 'iso8859-6', 'iso8859-7', 'iso8859-8', 'iso8859-16'],
  ...['koi8-r', 'koi8-u', 'cp866'],
  ...['cp932', 'shift_jis_2004', 'euc_jis_2004', 'gb18030', 'big5hkscs', 'euc_kr', 'cp949'],
];

/**
 * WHATWG labels of encodings that jschardet names differently. Other names of jschardet become labels in
 * lower case.
 */
const LABELS: Readonly<Record<string, string>> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp1258: 'windows-1258',
  'iso8859-16': 'iso-8859-16',
};

/**
 * Encodings that only jschardet can detect. They are used for Thai, Baltic, Vietnamese, visual Hebrew and
 * newer Romanian texts.
 */
const JSCHARDET_ONLY = /^(?:windows-874|windows-1257|windows-1258|iso-8859-8|iso-8859-16)$/;
const LATIN = /^(?:windows-125[02478]|iso-8859-(?:2|3|4|13|14|15|16)|macintosh)$/;

/**
 * Minimum difference in bits by which the letters must favour an encoding over the one that jschardet
 * returns.
 */
const MIN_ADVANTAGE_BITS = 2;

/** Length of a sample in bytes below which one letter is not enough to distinguish languages. */
const SHORT_SAMPLE_BYTES = 12;

/**
 * Returns the WHATWG label of the probable encoding of bytes that are not UTF-8.
 *
 * The letters decide, because jschardet is less reliable for headings and names. jschardet decides in doubt
 * between encodings of Latin letters, and recognizes the encodings that only it knows.
 */
export function guessLegacyEncoding(bytes: Uint8Array): string {
  const sample = takeSample(bytes);
  const byLetters = guessByLetters(sample);
  const detected = detectWithJschardet(sample);
  if (detected === undefined) return byLetters;
  if (LATIN.test(byLetters) && LATIN.test(detected)) {
    return isRatherWestern(sample, detected) || isCheaper(sample, byLetters, detected) ? byLetters : detected;
  }
  return JSCHARDET_ONLY.test(detected) ? detected : byLetters;
}

/**
 * Returns whether a sample is probably windows-1252, although jschardet detects another encoding of Latin
 * letters. This is the case for English with an accent in a loanword ("a naïve guest") and for very short
 * samples ("naïveté").
 */
function isRatherWestern(sample: Uint8Array, detected: string): boolean {
  const western = decodeSample(sample, 'windows-1252') ?? '';
  const isDoubtful = countDifferences(western, decodeSample(sample, detected) ?? '') < 2;
  return isDoubtful && (sample.length < SHORT_SAMPLE_BYTES || detectLanguage(western) === 'en');
}

/** Returns whether the letters of a sample clearly favour one encoding of Latin letters over another. */
function isCheaper(sample: Uint8Array, label: string, other: string): boolean {
  const bits = countLatinBits(sample, other);
  return Number.isFinite(bits) && countLatinBits(sample, label) + MIN_ADVANTAGE_BITS < bits;
}

/** Counts the characters in which two decodings of a sample differ. Both use one byte per character. */
const countDifferences = (one: string, other: string): number =>
  [...one].filter((character, at) => character !== other[at]).length;

/**
 * Guesses the encoding of names written by MS-DOS and its successors, which are short. In doubt it returns
 * `DOS_LATIN`.
 */
export const guessDosEncoding = (bytes: Uint8Array): string => guessDosByLetters(takeSample(bytes));

/**
 * Returns the most probable encoding according to jschardet that yields plausible text, or `undefined` if
 * there is none.
 */
function detectWithJschardet(sample: Uint8Array): string | undefined {
  return detectAll(sample, { detectEncodings: CANDIDATES, minimumThreshold: 0 })
    .map(({ encoding }) => (encoding ?? '').toLowerCase())
    .map((name) => LABELS[name] ?? name)
    .find((label) => isPlausible(decodeSample(sample, label)));
}

/** Matches control characters that do not occur in text. */
const CONTROL = /[\u0080-\u009f]/;
/**
 * Matches Latin letters next to letters of other scripts. Languages in these scripts do not mix them within a
 * word.
 */
const MIXED_WORD =
  /[a-z][\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Thai}]|[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Thai}][a-z]/iu;

/**
 * Returns whether a text has accented Latin letters but none of the letters a to z, which real text contains.
 */
const isOnlyAccented = (text: string): boolean => /[\u00c0-\u024f]/.test(text) && !/[a-z]/i.test(text);

/** Returns whether a text has Thai consonants but no vowel or tone marks, which real Thai words contain. */
const isThaiByChance = (text: string): boolean =>
  /\p{sc=Thai}/u.test(text) && !/[\u0e30-\u0e3a\u0e40-\u0e4e]/.test(text);

/** Rejects decodings in which a few accented letters appear as letters of another script. */
const isPlausible = (text: string | undefined): boolean =>
  text !== undefined &&
  !CONTROL.test(text) &&
  !MIXED_WORD.test(text) &&
  !isOnlyAccented(text) &&
  !isThaiByChance(text);
