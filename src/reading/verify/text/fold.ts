const ASCII = /^[\x20-\x7e]*$/;
const DIGIT = /\p{Nd}/u;
/** Accents, vowel points and dots that some writers omit, and invisible formatting characters. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640\p{Cf}]/gu;

/**
 * Returns a common form for all spellings of a word. Folds case, width, ligatures, accents and digits of
 * other scripts.
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
 * Converts a decimal digit of any script. Unicode orders the ten digits of a script from zero to nine, so the
 * distance from the first digit of a block gives the value.
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
