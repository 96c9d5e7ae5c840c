import type { TermStatistics } from '#src/ports/shard.ts';
import { languageOfTerm } from './analysis.ts';
import type { LanguageCode } from './languages.ts';
import type { QueryWord } from './query.ts';

/**
 * BM25 as Lucene has it: idf = ln(1 + (N - n + .5) / (n + .5)), saturation tf / (tf + k1 (1 - b + b length / mean)).
 * docs/architecture.md has the measurements behind these two.
 */
export const K1 = 1;
export const B = 0.65;

/** The languages that some shard of the index has chunks in, as far as this query can meet them. */
export function languagesOf(statistics: TermStatistics): LanguageCode[] {
  return [...new Set(Object.keys(statistics.documentFrequency).map(languageOfTerm))];
}

/** What a chunk's score takes from each term: of those that find it, and of the common ones that rank what is found. */
export interface TermWeights {
  finding: Map<string, number>;
  ranking: Map<string, number>;
}

/**
 * What each term of a query is worth. A word's rarity counts the chunks that contain it in any language, stop
 * word or not, so that "the" in one chunk taken for Spanish is not a rare word among English ones.
 */
export function weighTerms(query: QueryWord[], statistics: TermStatistics): TermWeights {
  const weights: TermWeights = { finding: new Map(), ranking: new Map() };
  const { documentCount, documentFrequency } = statistics;
  for (const { terms, variants } of query) {
    const n = variants.reduce((sum, term) => sum + (documentFrequency[term] ?? 0), 0);
    if (n === 0) continue;
    const idf = Math.log(1 + (documentCount - n + 0.5) / (n + 0.5));
    for (const { text, share, isStopWord } of terms) {
      const of = isStopWord ? weights.ranking : weights.finding;
      of.set(text, (of.get(text) ?? 0) + share * idf);
    }
  }
  return weights;
}
