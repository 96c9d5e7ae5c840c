/** Lower case without accents, so that labels compare across languages and spellings. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o');
}

/** The words of a text, folded; punctuation parts them. */
export function wordsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of an identifier in camelCase, snake_case or kebab-case. */
export function nameWords(name: string): string[] {
  return wordsOf(name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/_/g, ' '));
}

/** Letters and digits only, folded: two values that differ in case, spaces and punctuation are one. */
export function squash(text: string): string {
  return wordsOf(text).join('');
}

export interface Token {
  word: string;
  start: number;
  end: number;
}

/** As wordsOf, with each word's place in the text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    tokens.push({ word: fold(match[0]), start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/** Shorter ones stand by chance in other words. */
const SHORTEST_COUNTED = 3;
const MOST_COUNTED = 4;

/** How often a squashed text says something, 1 to 4: beyond that it makes no difference. */
export function occurrences(text: string, wanted: string): number {
  if (wanted.length < SHORTEST_COUNTED) return 1;
  let count = 0;
  let at = text.indexOf(wanted);
  for (; at >= 0 && count < MOST_COUNTED; at = text.indexOf(wanted, at + wanted.length)) count++;
  return Math.max(1, count);
}
