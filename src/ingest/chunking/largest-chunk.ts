import type { Range } from './ranges.ts';

/** In UTF-8: half of what the platform stores in one row, whatever the chunker allows. */
export const LARGEST_CHUNK_BYTES = 1_000_000;
/** A line or a word that ends so near the limit ends the chunk. */
const NEAR = 2_000;

/** Tiles a range with ranges that an index can store. */
export function cutLarge(text: string, { start, end }: Range): Range[] {
  // A UTF-16 unit is at most three bytes.
  if ((end - start) * 3 <= LARGEST_CHUNK_BYTES) return [{ start, end }];
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(LARGEST_CHUNK_BYTES);
  const ranges: Range[] = [];
  for (let from = start; from < end; from = ranges.at(-1)!.end) {
    const { read } = encoder.encodeInto(text.slice(from, Math.min(end, from + LARGEST_CHUNK_BYTES)), bytes);
    ranges.push({ start: from, end: from + read < end ? goodEnd(text, from + read) : end });
  }
  return ranges;
}

function goodEnd(text: string, limit: number): number {
  const near = text.slice(limit - NEAR, limit);
  for (const gap of ['\n', ' ']) {
    const at = near.lastIndexOf(gap);
    if (at !== -1) return limit - NEAR + at + 1;
  }
  return limit;
}
