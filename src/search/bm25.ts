import { languageOfTerm, type QueryWord } from './analysis.ts';
import type { LanguageCode } from './languages.ts';
import { AT, MASK_BYTES, MOST_CHUNKS, MOST_RESULTS, type ShardMemory } from './memory.ts';
import type { Postings } from './postings.ts';
import type { TermStatistics } from './shard.ts';

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

/**
 * What each term of a query is worth. A word's rarity counts the chunks that contain it in any language, stop
 * word or not, so that "the" in one chunk taken for Spanish is not a rare word among English ones.
 */
export function weighTerms(query: QueryWord[], statistics: TermStatistics): Map<string, number> {
  const weights = new Map<string, number>();
  const { documentCount, documentFrequency } = statistics;
  for (const { terms, variants } of query) {
    const n = variants.reduce((sum, term) => sum + (documentFrequency[term] ?? 0), 0);
    if (n === 0) continue;
    const idf = Math.log(1 + (documentCount - n + 0.5) / (n + 0.5));
    for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + idf);
  }
  return weights;
}

/** Scores of a shard's chunks by BM25, a term at a time. */
export class SparseScores {
  readonly #memory: ShardMemory;
  #normsOf = '';

  constructor(memory: ShardMemory) {
    this.#memory = memory;
  }

  /** `lengths`: words of each chunk, by local id; `revision` changes whenever one of them does. */
  start(lengths: Float32Array, revision: number, meanLength: number): void {
    this.#memory.bytes(AT.scores, MOST_CHUNKS * 4).fill(0);
    const normsOf = `${revision} ${meanLength}`;
    if (this.#normsOf === normsOf) return;
    this.#normsOf = normsOf;
    const norms = this.#memory.floats(AT.norms, lengths.length);
    for (let i = 0; i < lengths.length; i++) norms[i] = K1 * (1 - B + (B * lengths[i]!) / meanLength);
  }

  add(postings: Postings, weight: number): void {
    const { ids, frequencies } = postings;
    this.#memory.words(AT.ids, ids.length).set(ids);
    this.#memory.bytes(AT.frequencies, ids.length).set(frequencies);
    this.#memory.kernels.addTerm(AT.ids, AT.frequencies, ids.length, AT.norms, AT.scores, weight);
  }

  /** The allowed chunks (bits) whose score is among the k highest, all of a tie at the end. */
  atLeast(k: number, allowed: Uint8Array, end: number): { local: number; score: number }[] {
    const memory = this.#memory;
    memory.bytes(AT.mask, MASK_BYTES).set(allowed);
    const bound = memory.kernels.threshold(AT.scores, AT.mask, end, Math.min(k, MOST_RESULTS), 0, AT.heap);
    const found = memory.kernels.collect(AT.scores, AT.mask, end, 0, bound, AT.found);
    const scores = memory.floats(AT.scores, MOST_CHUNKS);
    return Array.from(memory.words(AT.found, found), (local) => ({ local, score: scores[local]! }));
  }
}

/** How many of a term's chunks are in the set (bits). */
export function countPostings(memory: ShardMemory, postings: Postings, set: Uint8Array): number {
  memory.words(AT.ids, postings.ids.length).set(postings.ids);
  memory.bytes(AT.mask, MASK_BYTES).set(set);
  return memory.kernels.countListed(AT.ids, postings.ids.length, AT.mask);
}
