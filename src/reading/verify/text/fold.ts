const ASCII = /^[\x20-\x7e]*$/;
const DIGIT = /\p{Nd}/u;
/** Accents, points and dots that one writer sets and another leaves out, and signs that only steer how text is set. */
const OPTIONAL = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640\p{Cf}]/gu;

/** One form of a word for all the ways of writing it: case, width, ligatures, accents, digits of other scripts. */
export function foldWord(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(OPTIONAL, '')
    .toLowerCase()
    .replace(/\p{Nd}/gu, asciiDigit)
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .replaceAll('ς', 'σ');
}

const digits = new Map<string, string>();

/** Digits of a script stand in a row from zero to nine, and rows follow each other without a gap or with one. */
function asciiDigit(digit: string): string {
  const known = digits.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0)!;
  let first = code;
  while (first > 0 && DIGIT.test(String.fromCodePoint(first - 1))) first--;
  const value = String((code - first) % 10);
  digits.set(digit, value);
  return value;
}
