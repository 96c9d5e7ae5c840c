import type { Postings } from '#src/search/postings.ts';

const MAX_BYTES = 16_000_000;
/** Bytes that may be cached even if the memory budget is used up. */
const MIN_BYTES = 1_000_000;
/** Approximate memory in bytes of a cached term, without its ids and frequencies. */
const TERM_BYTES = 400;

/** Memory that the shards of one isolate share. */
export interface MemoryBudget {
  /** Makes other shards free `bytes` bytes for data that this shard needs. */
  reserve(bytes: number): void;
  /**
   * Makes idle shards free up to `bytes` bytes for optional data of this shard. Returns the number of free
   * bytes.
   */
  available(bytes: number): number;
}

/**
 * Caches the postings of terms that were searched. For each term there are the postings from stored runs, and
 * the complete postings, which include recent chunks and titles.
 */
export class PostingCache {
  readonly #room: MemoryBudget;
  readonly #inRuns = new Map<string, Postings>();
  readonly #whole = new Map<string, Postings>();
  #runBytes = 0;
  /**
   * Bytes used by complete postings. Terms whose complete postings equal the stored ones are not counted
   * again.
   */
  #wholeBytes = 0;

  constructor(room: MemoryBudget) {
    this.#room = room;
  }

  get bytes(): number {
    return this.#runBytes + this.#wholeBytes;
  }

  /** Returns the terms whose complete postings are not cached. */
  listMissing(terms: Iterable<string>): string[] {
    return [...terms].filter((term) => !this.#whole.has(term));
  }

  /** Returns the terms whose postings in runs are not cached. */
  listMissingInRuns(terms: readonly string[]): string[] {
    return terms.filter((term) => !this.#inRuns.has(term));
  }

  /**
   * Returns the postings of a term that are stored in runs. `find` reads the postings if they are not cached.
   */
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
   * Returns the complete postings of a term. If they are not cached, `find` computes them. `find` may return
   * the result of `inRuns`.
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

  /**
   * Makes idle shards free memory. If `bytes` more bytes would still exceed the limit, the whole cache is
   * cleared.
   */
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
