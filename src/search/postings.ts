import { compareCodePoints } from './text-order.ts';

/**
 * Posting list of a term: the ids of the chunks that contain the term, in no particular order, with its
 * frequency in each.
 */
export interface Postings {
  ids: Uint16Array;
  frequencies: Uint8Array;
}

export const NO_POSTINGS: Postings = { ids: new Uint16Array(), frequencies: new Uint8Array() };

export function joinPostings(parts: Postings[]): Postings {
  if (parts.length <= 1) return parts[0] ?? NO_POSTINGS;
  const count = parts.reduce((sum, part) => sum + part.ids.length, 0);
  const joined = { ids: new Uint16Array(count), frequencies: new Uint8Array(count) };
  let at = 0;
  for (const { ids, frequencies } of parts) {
    joined.ids.set(ids, at);
    joined.frequencies.set(frequencies, at);
    at += ids.length;
  }
  return joined;
}

const HIGHEST_FREQUENCY = 255;
/**
 * Scratch array of `addPostings` with the term frequencies of the second list by chunk id. All elements are 0
 * between calls.
 */
const frequencyByChunk = new Uint8Array(65_536);

/** Merges two posting lists. The frequencies of a chunk in both lists are added, up to 255. */
export function addPostings(left: Postings, right: Postings): Postings {
  if (right.ids.length === 0) return left;
  if (left.ids.length === 0) return right;
  for (const [i, id] of right.ids.entries()) frequencyByChunk[id] = right.frequencies[i]!;
  const ids = new Uint16Array(left.ids.length + right.ids.length);
  const frequencies = new Uint8Array(ids.length);
  let end = 0;
  const add = (id: number, frequency: number) => {
    ids[end] = id;
    frequencies[end++] = Math.min(HIGHEST_FREQUENCY, frequency + frequencyByChunk[id]!);
    frequencyByChunk[id] = 0;
  };
  for (const [i, id] of left.ids.entries()) add(id, left.frequencies[i]!);
  for (const id of right.ids) if (frequencyByChunk[id]! > 0) add(id, 0);
  return { ids: ids.slice(0, end), frequencies: frequencies.slice(0, end) };
}

export function filterPostings(postings: Postings, keep: (id: number) => boolean): Postings {
  const { ids, frequencies } = postings;
  let dropped = false;
  for (const id of ids) dropped ||= !keep(id);
  if (!dropped) return postings;
  return { ids: ids.filter(keep), frequencies: frequencies.filter((_, i) => keep(ids[i]!)) };
}

/** Posting lists of several consecutive terms, stored as one database value. */
export interface Block {
  first: string;
  body: Uint8Array;
}

/**
 * Packs ascending terms into blocks of about `bytes` bytes. A term is never split. A block starts with the
 * header length (u32) and the header (JSON with terms and posting counts, padded to an even length). Chunk
 * ids (u16 each) and frequencies (u8 each) follow. All numbers are little-endian.
 */
export function* packBlocks(entries: Iterable<[string, Postings]>, bytes: number): Generator<Block> {
  let terms: string[] = [];
  let postings: Postings[] = [];
  let size = 0;
  for (const [term, each] of entries) {
    if (each.ids.length === 0) continue;
    const grown = 3 * each.ids.length + term.length + 8;
    if (size > 0 && size + grown > bytes) {
      yield packBlock(terms, postings);
      terms = [];
      postings = [];
      size = 0;
    }
    terms.push(term);
    postings.push(each);
    size += grown;
  }
  if (terms.length > 0) yield packBlock(terms, postings);
}

function packBlock(terms: string[], postings: Postings[]): Block {
  let json = JSON.stringify([terms, postings.map((each) => each.ids.length)]);
  let header = new TextEncoder().encode(json);
  if (header.length % 2 === 1) {
    json += ' ';
    header = new TextEncoder().encode(json);
  }
  const all = joinPostings(postings);
  const body = new Uint8Array(4 + header.length + 3 * all.ids.length);
  new DataView(body.buffer).setUint32(0, header.length, true);
  body.set(header, 4);
  body.set(new Uint8Array(all.ids.buffer, all.ids.byteOffset, all.ids.byteLength), 4 + header.length);
  body.set(all.frequencies, 4 + header.length + 2 * all.ids.length);
  return { first: terms[0]!, body };
}

/** Returns the header of a block and the arrays with all its chunk ids and frequencies. */
function openBlock(body: ArrayBuffer) {
  const headerLength = new DataView(body).getUint32(0, true);
  const header = new TextDecoder().decode(new Uint8Array(body, 4, headerLength));
  const at = 4 + headerLength;
  const total = (body.byteLength - at) / 3;
  return { header, ids: new Uint16Array(body, at, total), frequencies: new Uint8Array(body, at + 2 * total) };
}

export function* unpackBlock(body: ArrayBuffer): Generator<[term: string, postings: Postings]> {
  const { header, ids, frequencies } = openBlock(body);
  const [terms, counts] = JSON.parse(header) as [string[], number[]];
  let at = 0;
  for (const [i, term] of terms.entries()) {
    const end = at + counts[i]!;
    yield [term, { ids: ids.subarray(at, end), frequencies: frequencies.subarray(at, end) }];
    at = end;
  }
}

/**
 * Returns a copy of a term's postings, so that caching one term does not keep its whole block in memory.
 * Returns `undefined` if the block lacks the term. Only the posting counts of the header are parsed. Terms
 * contain no commas, so the number of commas before a term is its position in the header.
 */
export function findInBlock(body: ArrayBuffer, wanted: string): Postings | undefined {
  const { header, ids, frequencies } = openBlock(body);
  const place = header.indexOf(JSON.stringify(wanted));
  const end = header.indexOf('],[');
  if (place === -1 || place > end) return undefined;
  let before = 0;
  for (
    let comma = header.indexOf(',');
    comma !== -1 && comma < place;
    comma = header.indexOf(',', comma + 1)
  ) {
    before++;
  }
  const counts = JSON.parse(header.slice(end + 2, header.lastIndexOf(']'))) as number[];
  let at = 0;
  for (let i = 0; i < before; i++) at += counts[i]!;
  const next = at + counts[before]!;
  return { ids: ids.slice(at, next), frequencies: frequencies.slice(at, next) };
}

/**
 * Merges streams of ascending terms into one stream. The postings of a term that occurs in several streams
 * are joined.
 */
export function* mergeStreams(
  streams: Iterator<[string, Postings]>[],
): Generator<[term: string, postings: Postings]> {
  const heads = streams.map((stream) => stream.next());
  for (;;) {
    let lowest: string | undefined;
    for (const head of heads) {
      if (head.done) continue;
      if (lowest === undefined || compareCodePoints(head.value[0], lowest) < 0) lowest = head.value[0];
    }
    if (lowest === undefined) return;
    const parts: Postings[] = [];
    for (const [i, head] of heads.entries()) {
      if (head.done || head.value[0] !== lowest) continue;
      parts.push(head.value[1]);
      heads[i] = streams[i]!.next();
    }
    yield [lowest, joinPostings(parts)];
  }
}
