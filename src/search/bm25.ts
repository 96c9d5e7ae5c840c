import { combineBits } from './bitset.ts';
import { AT, MASK_BYTES, MOST_CHUNKS, MOST_RESULTS, type ShardMemory } from './memory.ts';
import type { Postings } from './postings.ts';
import { B, K1 } from './term-weights.ts';

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

  /** The allowed chunks (bits) that some term has been added to so far. */
  found(allowed: Uint8Array, end: number): Uint8Array {
    const scores = this.#memory.floats(AT.scores, MOST_CHUNKS);
    const found = new Uint8Array(allowed.length);
    for (let i = 0; i < end; i++) if (scores[i]! > 0) found[i >> 3]! |= 1 << (i & 7);
    return combineBits(found, allowed, 'and');
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
