import type { Token } from './tokens.ts';

/** Longer and shorter ones are not asked: the former are rare, the latter parts of anything. */
const SHORTEST = 4;
const LONGEST = 24;

/** How often each of some words stands in a text with blanks in whatever places; words that are not asked for have none. */
export function occurrencesIn(text: readonly Token[], words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (word.length >= SHORTEST && word.length <= LONGEST) counts.set(word, 0);
  if (counts.size === 0) return counts;
  const letters = text.map((token) => token.letters).join('');
  for (const length of new Set([...counts.keys()].map((word) => word.length))) {
    for (let start = 0; start + length <= letters.length; start++) {
      const piece = letters.slice(start, start + length);
      const count = counts.get(piece);
      if (count !== undefined) counts.set(piece, count + 1);
    }
  }
  return counts;
}
