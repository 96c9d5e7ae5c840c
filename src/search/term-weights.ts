import type { WordCounts } from '#src/ports/index-types.ts';
import type { TermStatistics } from '#src/ports/shard.ts';
import { getAnalyser, getTermLanguage } from './analysis.ts';
import type { LanguageCode } from './languages.ts';
import type { QueryWord } from './query.ts';
import { splitIntoWords } from './words.ts';

/**
 * Constants of BM25 as in Lucene. A term's weight is ln(1 + (N - n + .5) / (n + .5)), if n of N chunks
 * contain it. A chunk that contains it tf times scores tf / (tf + k1 (1 - b + b length / mean)) of this
 * weight. docs/explanation/how-retrieval-works.md has the measurements behind `K1` and `B`.
 */
export const K1 = 1;
export const B = 0.65;

export function listLanguages(statistics: TermStatistics): LanguageCode[] {
  return [...new Set(Object.keys(statistics.documentFrequency).map(getTermLanguage))];
}

/**
 * Weight of each query term. `finding` terms select chunks. `ranking` terms are stop words, which only add to
 * the scores of chunks that were selected.
 */
export interface TermWeights {
  finding: Map<string, number>;
  ranking: Map<string, number>;
}

/**
 * Computes the BM25 weight of each query term. The document frequency of a word counts chunks of every
 * language, and counts the word as a stop word too. Otherwise "the" in one chunk taken for Spanish would be a
 * rare word among English chunks.
 */
export function weighTerms(query: QueryWord[], statistics: TermStatistics): TermWeights {
  const weights: TermWeights = { finding: new Map(), ranking: new Map() };
  const { documentCount, documentFrequency } = statistics;
  for (const { terms, variants } of query) {
    const n = variants.reduce((sum, term) => sum + (documentFrequency[term] ?? 0), 0);
    if (n === 0) continue;
    const idf = Math.log(1 + (documentCount - n + 0.5) / (n + 0.5));
    for (const { text, idfShare, isStopWord } of terms) {
      const target = isStopWord ? weights.ranking : weights.finding;
      target.set(text, (target.get(text) ?? 0) + idfShare * idf);
    }
  }
  return weights;
}

/** Counts the chunks that contain each word of a query, in all languages together. */
export function countWords(text: string, statistics: TermStatistics): WordCounts {
  const { documentCount: chunks, documentFrequency } = statistics;
  const analysers = listLanguages(statistics).map(getAnalyser);
  const containing: Record<string, number> = {};
  for (const word of new Set(splitIntoWords(text))) {
    const terms = analysers.map((analyser) => analyser.terms(word)[0]!.text);
    const count = terms.reduce((sum, term) => sum + (documentFrequency[term] ?? 0), 0);
    if (count > 0) containing[word] = Math.min(chunks, count);
  }
  return { chunks, containing };
}
