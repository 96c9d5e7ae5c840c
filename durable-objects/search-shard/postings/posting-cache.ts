import type { Postings } from '#src/search/postings.ts';

const MOST_BYTES = 16_000_000;
/** So much is kept even where the budget is spent. */
const LEAST_BYTES = 1_000_000;
/** Of a term's postings, beside ids and frequencies. */
const TERM_BYTES = 400;

/** Memory that a shard shares with the isolate's others. */
export interface Room {
  /** Has others make room for so many bytes, which this shard cannot do without. */
  make(bytes: number): void;
  /** Bytes that are free for what it can do without, when idle shards have made room for so many. */
  left(bytes: number): number;
}

/** Postings of terms that were asked for: as runs have them, and with recent ones and titles. */
export class PostingCache {
  readonly #room: Room;
  readonly #inRuns = new Map<string, Postings>();
  readonly #whole = new Map<string, Postings>();
  #runBytes = 0;
  /** Of those that are not the same as in the runs. */
  #wholeBytes = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  get bytes(): number {
    return this.#runBytes + this.#wholeBytes;
  }

  /** `find` reads a term from the runs. */
  inRuns(term: string, find: () => Postings): Postings {
    let found = this.#inRuns.get(term);
    if (found === undefined) {
      found = find();
      const bytes = bytesOf(term, found);
      this.#makeRoom(bytes);
      this.#runBytes += bytes;
      this.#inRuns.set(term, found);
    }
    return found;
  }

  /** `find` may answer what `inRuns` has for the term. */
  whole(term: string, find: () => Postings): Postings {
    let found = this.#whole.get(term);
    if (found === undefined) {
      found = find();
      if (found !== this.#inRuns.get(term)) {
        const bytes = bytesOf(term, found);
        this.#makeRoom(bytes);
        this.#wholeBytes += bytes;
      }
      this.#whole.set(term, found);
    }
    return found;
  }

  /** What nobody needs first, then that of other terms. */
  #makeRoom(bytes: number): void {
    const most = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, this.bytes + this.#room.left(bytes)));
    if (this.bytes + bytes > most) this.forget();
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

function bytesOf(term: string, { ids }: Postings): number {
  return 3 * ids.length + 2 * term.length + TERM_BYTES;
}
