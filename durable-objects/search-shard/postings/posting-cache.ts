import type { Postings } from '#src/search/postings.ts';

const MAX_BYTES = 16_000_000;
/** Bytes that may be cached even if the memory budget is used up. */
const MIN_BYTES = 1_000_000;
/** Approximate memory in bytes of a cached term, without its ids and frequencies. */
const TERM_BYTES = 400;

/** Memory that a shard shares with the other shards of its isolate. */
export interface MemoryBudget {
  /** Makes other shards free memory for data that this shard cannot do without. */
  reserve(bytes: number): void;
  /** Makes idle shards free memory for optional data of `bytes` bytes. Returns the number of free bytes. */
  available(bytes: number): number;
}

/**
 * Caches the postings of queried terms: the postings in the runs, and the complete ones with recent postings
 * and titles.
 */
export class PostingCache {
  readonly #room: MemoryBudget;
  readonly #inRuns = new Map<string, Postings>();
  readonly #whole = new Map<string, Postings>();
  #runBytes = 0;
  /** Bytes of complete postings that differ from the postings in the runs. */
  #wholeBytes = 0;

  constructor(room: MemoryBudget) {
    this.#room = room;
  }

  get bytes(): number {
    return this.#runBytes + this.#wholeBytes;
  }

  /** Returns the postings of a term in the runs. `find` reads them if they are not cached. */
  inRuns(term: string, find: () => Postings): Postings {
    let found = this.#inRuns.get(term);
    if (found === undefined) {
      found = find();
      const bytes = estimateBytes(term, found);
      this.#evictFor(bytes);
      this.#runBytes += bytes;
      this.#inRuns.set(term, found);
    }
    return found;
  }

  /**
   * Returns the complete postings of a term. `find` computes them if they are not cached, and may return the
   * result of `inRuns`.
   */
  whole(term: string, find: () => Postings): Postings {
    let found = this.#whole.get(term);
    if (found === undefined) {
      found = find();
      if (found !== this.#inRuns.get(term)) {
        const bytes = estimateBytes(term, found);
        this.#evictFor(bytes);
        this.#wholeBytes += bytes;
      }
      this.#whole.set(term, found);
    }
    return found;
  }

  /** Clears the cache if `bytes` more bytes would exceed the limit, after idle shards have freed memory. */
  #evictFor(bytes: number): void {
    const limit = Math.min(MAX_BYTES, Math.max(MIN_BYTES, this.bytes + this.#room.available(bytes)));
    if (this.bytes + bytes > limit) this.forget();
  }

  forgetWhole(): void {
    this.#whole.clear();
    this.#wholeBytes = 0;
  }

  forget(): void {
    this.forgetWhole();
    this.#inRuns.clear();
    this.#runBytes = 0;
  }
}

function estimateBytes(term: string, { ids }: Postings): number {
  return 3 * ids.length + 2 * term.length + TERM_BYTES;
}
