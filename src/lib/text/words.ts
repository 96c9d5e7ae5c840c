/**
 * Converts a text to lower case without accents, so that labels can be compared across languages and
 * spellings.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o');
}

/** Splits a text into folded words. Punctuation separates words. */
export function splitWords(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Splits an identifier in camelCase, snake_case or kebab-case into words. */
export function splitIdentifier(name: string): string[] {
  return splitWords(name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/_/g, ' '));
}

/**
 * Returns only the folded letters and digits of a text. Values that differ in case, spaces and punctuation
 * become equal.
 */
export function squash(text: string): string {
  return splitWords(text).join('');
}

export interface Token {
  word: string;
  start: number;
  end: number;
}

/** Splits a text into folded words like `splitWords`, and returns each word with its position in the text. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    tokens.push({ word: fold(match[0]), start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/**
 * Minimum length of a text whose occurrences are counted. Shorter texts occur inside other words by chance.
 */
const MIN_COUNTED_LENGTH = 3;
const MAX_COUNT = 4;

/**
 * Returns how often `wanted` occurs in `text`, from 1 to 4. Both texts must contain only letters and digits,
 * as `squash` returns them. Callers do not distinguish higher counts.
 */
export function countOccurrences(text: string, wanted: string): number {
  if (wanted.length < MIN_COUNTED_LENGTH) return 1;
  let count = 0;
  let at = text.indexOf(wanted);
  for (; at >= 0 && count < MAX_COUNT; at = text.indexOf(wanted, at + wanted.length)) count++;
  return Math.max(1, count);
}
