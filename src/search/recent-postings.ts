import type { TermCounts } from './analysis.ts';
import type { Postings } from './postings.ts';
import { sortByCodePoints } from './text-order.ts';

/** Approximate memory in bytes that a term with its array takes, and that each of its postings takes. */
const TERM_BYTES = 160;
const POSTING_BYTES = 16;

/** Postings of recently staged chunks, kept in memory. */
export class RecentPostings {
  /** Approximate memory in bytes that the postings take. */
  bytes = 0;
  /**
   * Postings by term. One number holds one posting: the chunk id in the upper 16 bits and the frequency in
   * the lower 8. Most terms have one posting.
   */
  readonly #terms = new Map<string, number[]>();

  #add(term: string, id: number, frequency: number): void {
    const posting = id * 256 + frequency;
    const postings = this.#terms.get(term);
    this.bytes += POSTING_BYTES;
    if (postings) postings.push(posting);
    else {
      // JavaScript allocates space for one element for an array literal, but for seventeen elements when an
      // empty array grows.
      this.#terms.set(term, [posting]);
      this.bytes += TERM_BYTES + term.length;
    }
  }

  add(id: number, { terms, frequencies }: TermCounts): void {
    for (let i = 0; i < terms.length; i++) {
      this.#add(terms[i]!, id, frequencies[i]!);
    }
  }

  /** Adds postings that `packStaged` packed. */
  addStaged(body: ArrayBuffer): void {
    const headerLength = new DataView(body).getUint32(0, true);
    const header = new TextDecoder().decode(new Uint8Array(body, 4, headerLength));
    const terms = JSON.parse(header) as string[];
    const ids = new Uint16Array(body, 4 + headerLength, terms.length);
    const frequencies = new Uint8Array(body, 4 + headerLength + 2 * terms.length, terms.length);
    for (let i = 0; i < terms.length; i++) {
      this.#add(terms[i]!, ids[i]!, frequencies[i]!);
    }
  }

  get(term: string): Postings | undefined {
    const found = this.#terms.get(term);
    return (
      found && {
        ids: Uint16Array.from(found, (posting) => posting >> 8),
        frequencies: Uint8Array.from(found, (posting) => posting & 255),
      }
    );
  }

  /** Yields all terms with their postings, in ascending order of the terms. */
  *entries(): Generator<[term: string, postings: Postings]> {
    for (const term of sortByCodePoints([...this.#terms.keys()])) yield [term, this.get(term)!];
  }
}

/**
 * Packs the postings of staged chunks in chunk order, which is many times cheaper than grouping them by term.
 * Each packed value has about `bytes` bytes. It starts with the header length (u32) and the header (JSON with
 * the term of each posting, padded to an even length). Local ids (u16 each) and frequencies (u8 each) follow.
 * All numbers are little-endian.
 */
export function* packStaged(
  chunks: Iterable<TermCounts & { local: number }>,
  bytes: number,
): Generator<Uint8Array> {
  let terms: string[] = [];
  let ids: number[] = [];
  let frequencies: number[] = [];
  let size = 0;
  for (const chunk of chunks) {
    for (let i = 0; i < chunk.terms.length; i++) {
      const term = chunk.terms[i]!;
      if (size > bytes) {
        yield packBody(terms, ids, frequencies);
        [terms, ids, frequencies, size] = [[], [], [], 0];
      }
      terms.push(term);
      ids.push(chunk.local);
      frequencies.push(chunk.frequencies[i]!);
      size += 2 * term.length + 6;
    }
  }
  if (terms.length > 0) yield packBody(terms, ids, frequencies);
}

function packBody(terms: string[], ids: number[], frequencies: number[]): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(terms));
  const headerLength = json.length + (json.length % 2);
  const at = 4 + headerLength;
  const body = new Uint8Array(at + 3 * terms.length);
  new DataView(body.buffer).setUint32(0, headerLength, true);
  body.fill(0x20, 4, at);
  body.set(json, 4);
  new Uint16Array(body.buffer, at, terms.length).set(ids);
  body.set(frequencies, at + 2 * terms.length);
  return body;
}
