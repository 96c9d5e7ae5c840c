import type { AnalysedChunk } from '#src/search/analysis.ts';

/**
 * Returns the words of a chunk as a text, for stores that count them themselves. Each term is repeated as often as it
 * occurs. Terms contain letters, digits and marks, but no spaces.
 */
export const toWordsText = ({ terms, frequencies }: Pick<AnalysedChunk, 'terms' | 'frequencies'>): string =>
  terms
    .map((term, at) => `${term} `.repeat(frequencies[at]!))
    .join('')
    .trimEnd();

/** Returns at most `most` terms, those with the highest weights. */
export function pickHeaviest(weights: ReadonlyMap<string, number>, most: number): [string, number][] {
  const all = [...weights];
  return all.length <= most ? all : all.sort(([, a], [, b]) => b - a).slice(0, most);
}
