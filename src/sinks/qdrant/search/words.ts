import { getFrequencyShare } from '#src/search/term-weights.ts';
import type { ChunkWords } from '#src/sinks/native/ledger/chunk-store.ts';

/** Name of the sparse vector that has the words of a chunk. */
export const WORDS = 'words';

export interface SparseVector {
  /** Unique integers of 32 bits, one for each word. */
  indices: number[];
  values: number[];
}

/** Decimals that are kept of a word's value. More would only make requests larger. */
const PRECISION = 1e6;

/**
 * Returns the words of a chunk with the shares of their weights that the chunk scores. Qdrant multiplies them by the
 * query's weights and by the inverse document frequency.
 *
 * The index of a word is a hash. Two words with the same hash count as one word: a query for one of them also finds chunks
 * with the other one, and both seem a little more frequent than they are. With a million different words, this concerns
 * one word in 4,300.
 */
export function toWordVector({ analysed, meanLength }: ChunkWords): SparseVector {
  const { terms, frequencies, length } = analysed;
  // The mean is 0 if no chunk has words outside its title.
  const mean = Math.max(1, meanLength);
  const counts = addByHash(terms.map((term, at) => [term, frequencies[at]!]));
  const values = [...counts.values()].map(
    (frequency) => Math.round(getFrequencyShare(frequency, length, mean) * PRECISION) / PRECISION,
  );
  return { indices: [...counts.keys()], values };
}

/** Returns the words of a query with their weights. */
export function toQueryVector(...weights: ReadonlyMap<string, number>[]): SparseVector {
  const sums = addByHash(weights.flatMap((each) => [...each]));
  return { indices: [...sums.keys()], values: [...sums.values()] };
}

/** Adds the numbers of terms that have the same hash, because Qdrant rejects vectors in which an index occurs twice. */
function addByHash(terms: [term: string, value: number][]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const [term, value] of terms) {
    const hash = hashTerm(term);
    sums.set(hash, (sums.get(hash) ?? 0) + value);
  }
  return sums;
}

/**
 * Hashes a term to an integer of 32 bits (MurmurHash3 over UTF-16 code units). Stored vectors contain these hashes, so the
 * function must never change. All indexes use the same hashes, so that the frequencies of words in a collection mean
 * something even for versions of Qdrant that do not count them by index.
 */
export function hashTerm(term: string): number {
  let hash = 0;
  for (let at = 0; at < term.length; at++) {
    const mixed = Math.imul(rotate(Math.imul(term.charCodeAt(at), 0xcc9e2d51), 15), 0x1b873593);
    hash = Math.imul(rotate(hash ^ mixed, 13), 5) + 0xe6546b64;
  }
  hash ^= term.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));
