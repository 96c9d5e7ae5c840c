import { combineBits } from './bitset.ts';
import { LARGEST_FREQUENCY } from './learned-terms.ts';
import { AT, MASK_BYTES, MAX_CHUNKS, MAX_RESULTS, type ShardMemory } from './memory.ts';
import type { Postings } from './postings.ts';
import { B, K1 } from './term-weights.ts';

/**
 * Scores of a shard's chunks, computed one term at a time: BM25, or the dot product of the weights of a learned sparse
 * model.
 */
export class SparseScores {
  readonly #memory: ShardMemory;
  #normsKey = '';
  #kernel: 'addTerm' | 'addWeighted' = 'addTerm';

  constructor(memory: ShardMemory) {
    this.#memory = memory;
  }

  /**
   * Resets the scores for BM25. `lengths` holds the number of words of each chunk by local id. `revision` must change
   * whenever a length changes, because the length norms are cached.
   */
  start(lengths: Float32Array, revision: number, meanLength: number): void {
    this.#kernel = 'addTerm';
    this.#reset(`${revision} ${meanLength}`, lengths, (length) => K1 * (1 - B + (B * length) / meanLength));
  }

  /**
   * Resets the scores for an index with weights of a learned model. `largest` holds the largest weight of each chunk by
   * local id. `revision` must change whenever such a weight changes.
   */
  startLearned(largest: Float32Array, revision: number): void {
    this.#kernel = 'addWeighted';
    this.#reset(`${revision} learned`, largest, (weight) => weight / LARGEST_FREQUENCY);
  }

  #reset(normsKey: string, lengths: Float32Array, computeNorm: (length: number) => number): void {
    this.#memory.bytes(AT.scores, MAX_CHUNKS * 4).fill(0);
    if (this.#normsKey === normsKey) return;
    this.#normsKey = normsKey;
    const norms = this.#memory.floats(AT.norms, lengths.length);
    for (let i = 0; i < lengths.length; i++) norms[i] = computeNorm(lengths[i]!);
  }

  add(postings: Postings, weight: number): void {
    const { ids, frequencies } = postings;
    this.#memory.words(AT.ids, ids.length).set(ids);
    this.#memory.bytes(AT.frequencies, ids.length).set(frequencies);
    this.#memory.kernels[this.#kernel](AT.ids, AT.frequencies, ids.length, AT.norms, AT.scores, weight);
  }

  /**
   * Returns the chunks that contain at least one of the terms added so far, as a bit set. Only allowed chunks
   * are included.
   */
  findScored(allowed: Uint8Array, end: number): Uint8Array {
    const scores = this.#memory.floats(AT.scores, MAX_CHUNKS);
    const found = new Uint8Array(allowed.length);
    for (let i = 0; i < end; i++) if (scores[i]! > 0) found[i >> 3]! |= 1 << (i & 7);
    return combineBits(found, allowed, 'and');
  }

  /** Returns the allowed chunks with the k highest scores. Chunks that tie with the last one are included. */
  findTop(k: number, allowed: Uint8Array, end: number): { local: number; score: number }[] {
    const memory = this.#memory;
    memory.bytes(AT.mask, MASK_BYTES).set(allowed);
    const bound = memory.kernels.threshold(AT.scores, AT.mask, end, Math.min(k, MAX_RESULTS), 0, AT.heap);
    const found = memory.kernels.collect(AT.scores, AT.mask, end, 0, bound, AT.found);
    const scores = memory.floats(AT.scores, MAX_CHUNKS);
    return Array.from(memory.words(AT.found, found), (local) => ({ local, score: scores[local]! }));
  }
}

/** Counts the chunks of a posting list that are in the given bit set. */
export function countPostings(memory: ShardMemory, postings: Postings, set: Uint8Array): number {
  memory.words(AT.ids, postings.ids.length).set(postings.ids);
  memory.bytes(AT.mask, MASK_BYTES).set(set);
  return memory.kernels.countListed(AT.ids, postings.ids.length, AT.mask);
}
