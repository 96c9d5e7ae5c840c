const ASCII = /^[\x20-\x7e]*$/;
const DIGIT = /\p{Nd}/u;
/** Matches accents, vowel points and dots that some writers omit, and invisible formatting characters. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640\p{Cf}]/gu;

/**
 * Converts all spellings of a word to one form for comparison. Ignores differences in case, width, ligatures,
 * accents and digits of other scripts.
 */
export function foldWord(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(OPTIONAL_MARKS, '')
    .toLowerCase()
    .replace(/\p{Nd}/gu, toAsciiDigit)
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .replaceAll('ς', 'σ');
}

const digits = new Map<string, string>();

/**
 * Converts a decimal digit of any script to an ASCII digit. In Unicode, the ten digits of each script follow
 * each other from zero to nine.
 */
function toAsciiDigit(digit: string): string {
  const known = digits.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0)!;
  let first = code;
  while (first > 0 && DIGIT.test(String.fromCodePoint(first - 1))) first--;
  const value = String((code - first) % 10);
  digits.set(digit, value);
  return value;
}
