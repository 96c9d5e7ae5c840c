import type { WordCounts } from '#src/ports/index-types.ts';
import type { TermStatistics } from '#src/ports/shard.ts';
import { getAnalyser, getTermLanguage } from './analysis.ts';
import type { LanguageCode } from './languages.ts';
import type { QueryWord } from './query.ts';
import { splitIntoWords } from './words.ts';

/**
 * Constants of BM25 with the values that Lucene uses by default. A term's weight is ln(1 + (N - n + .5) / (n + .5)),
 * if n of N chunks contain it. A chunk that contains it tf times scores tf / (tf + k1 (1 - b + b length / mean)) of
 * this weight.
 */
export const K1 = 1.2;
export const B = 0.75;

/** Returns the share of a term's weight that a chunk scores, from 0 to 1. Lengths are numbers of words. */
export const getFrequencyShare = (frequency: number, length: number, meanLength: number): number =>
  frequency / (frequency + K1 * (1 - B + (B * length) / meanLength));

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
 * Factor for the weight of a stop word. Some questions are about a stop word, so stop words are not ignored. In
 * documents of another style than the question, such as titles, its function words are rare, so the factor is low.
 */
const STOP_WORD_SHARE = 0.1;

/**
 * Computes the BM25 weight of each query term. The document frequency of a word counts chunks of every
 * language, and counts the word as a stop word too. Otherwise "the" in one chunk taken for Spanish would be a
 * rare word among English chunks.
 */
export function weighTerms(query: readonly QueryWord[], statistics: TermStatistics): TermWeights {
  const weights: TermWeights = { finding: new Map(), ranking: new Map() };
  const { documentCount, documentFrequency } = statistics;
  const countChunks = (terms: string[]) =>
    terms.reduce((sum, term) => sum + (documentFrequency[term] ?? 0), 0);
  for (const { terms, variants, wordVariants = [] } of query) {
    const own = countChunks(variants);
    if (own === 0) continue;
    // A chunk that contains a word contains its n-grams, but only some languages index them. Without the
    // chunks of the other languages, the n-grams of every word would seem rare.
    const n = Math.max(own, countChunks(wordVariants));
    const idf = Math.log(1 + (documentCount - n + 0.5) / (n + 0.5));
    const isStopWord = 2 * countChunks(terms.filter((term) => term.isStopWord).map(({ text }) => text)) > own;
    const target = isStopWord ? weights.ranking : weights.finding;
    for (const { text, idfShare } of terms) {
      const weight = idf * idfShare * (isStopWord ? STOP_WORD_SHARE : 1);
      target.set(text, (target.get(text) ?? 0) + weight);
    }
  }
  return weights;
}

/**
 * Weighs query terms for a store that multiplies each weight by the inverse document frequency of its term. A word is a
 * stop word if most chunks are in languages in which it is one. `chunks` has the number of chunks by language.
 */
export function weighByLanguage(
  query: readonly QueryWord[],
  chunks: ReadonlyMap<string, number>,
): TermWeights {
  const weights: TermWeights = { finding: new Map(), ranking: new Map() };
  const countChunks = (terms: string[]) =>
    terms.reduce((sum, term) => sum + (chunks.get(getTermLanguage(term)) ?? 0), 0);
  for (const { terms, variants } of query) {
    const stopWords = terms.filter((term) => term.isStopWord).map(({ text }) => text);
    const isStopWord = 2 * countChunks(stopWords) > countChunks(variants);
    const target = isStopWord ? weights.ranking : weights.finding;
    for (const { text, idfShare } of terms) {
      const weight = idfShare * (isStopWord ? STOP_WORD_SHARE : 1);
      target.set(text, (target.get(text) ?? 0) + weight);
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
    containing[word] = Math.min(chunks, count);
  }
  return { chunks, containing };
}
