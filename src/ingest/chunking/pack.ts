import { createTooManyChunksError, MAX_CHUNKS } from './chunk-limit.ts';
import type { Measure } from './measure.ts';
import type { Pace } from './pace.ts';
import { type Range, type Splitter, trim } from './ranges.ts';

/**
 * Suitability of a position as the beginning of a chunk. A higher number is better, and `never` forbids a
 * chunk to begin there.
 */
export const BREAK = { never: -1, word: 0, sentence: 1, block: 2, heading: 3 } as const;

export interface Piece extends Range {
  breakBefore: number;
}

export interface Budget {
  measure: Measure;
  limit: number;
  overlap: number;
  pace: Pace;
}

/**
 * Splits a range of text only as finely as the size limit requires. The first splitter splits the range, and
 * the next one splits the pieces that are still too large. The last splitter must yield pieces that cannot be
 * split.
 */
export async function refine(
  text: string,
  range: Range,
  budget: Budget,
  splitters: readonly [Splitter, number][],
): Promise<Piece[]> {
  const [split, breakBefore] = splitters[0]!;
  const rest = splitters.slice(1);
  const pieces: Piece[] = [];
  for (const part of split(text, range)) {
    if (budget.pace.isDue()) await budget.pace.pause();
    if (rest.length === 0 || fits(text, part, budget)) {
      pieces.push({ ...part, breakBefore });
      continue;
    }
    const from = pieces.length;
    for (const piece of await refine(text, part, budget, rest)) pieces.push(piece);
    const first = pieces[from];
    if (first) first.breakBefore = breakBefore;
  }
  return pieces;
}

/**
 * Returns whether a range of text fits into a chunk. A range may have more tokens by itself than within its
 * text, so ranges near the limit are counted by themselves.
 */
export function fits(text: string, range: Range, { measure, limit }: Budget): boolean {
  const size = measure.size(range.start, range.end);
  if (size > limit) return false;
  if (size + MARGIN <= limit / 2) return true;
  const { start, end } = trim(text, range);
  return measure.exact(start, end) <= limit;
}

const MARGIN = 8;

/**
 * Minimum share of the size limit that a chunk must fill before it may end early at a stronger break, such as
 * a heading.
 */
const MIN_FILL: Record<number, number> = {
  [BREAK.heading]: 0.5,
  [BREAK.block]: 0.7,
  [BREAK.sentence]: 0.85,
};

/**
 * Joins neighbouring pieces into chunks within the limit. Each chunk repeats up to `overlap` of the previous
 * chunk. Only a single piece that cannot be split may exceed the limit. Repeated text never reaches back over
 * a heading.
 */
export async function pack(text: string, given: readonly Piece[], budget: Budget): Promise<Range[]> {
  const pieces = joinBlanks(text, given);
  const { measure, limit, overlap } = budget;
  const chunks: Range[] = [];
  const at = (index: number): Piece => pieces[index]!;
  const size = (from: number, to: number) => measure.size(at(from).start, at(to - 1).end);
  let first = 0;
  let covered = 0;
  while (first < pieces.length) {
    // The tokens of each chunk are counted again as a whole, which takes about as many steps as the size
    // limit has tokens.
    if (budget.pace.isDue(limit)) await budget.pace.pause();
    let end = Math.max(first, covered) + 1;
    while (end < pieces.length && size(first, end + 1) <= limit) end++;
    if (end < pieces.length) end = findBestEnd(pieces, first, Math.max(first, covered) + 1, end, size, limit);

    let chunk = trim(text, { start: at(first).start, end: at(end - 1).end });
    while (end - 1 > Math.max(first, covered) && measure.exact(chunk.start, chunk.end) > limit) {
      end = findShorterEnd(pieces, Math.max(first, covered) + 1, end);
      chunk = trim(text, { start: at(first).start, end: at(end - 1).end });
    }
    // If the overlap leaves no space for new text, the chunk begins after the overlap.
    if (first < covered && measure.exact(chunk.start, chunk.end) > limit) {
      first = covered;
      continue;
    }
    chunks.push(chunk);
    if (chunks.length > MAX_CHUNKS) throw createTooManyChunksError();
    if (end >= pieces.length) break;

    let next = end;
    while (
      next - 1 > first &&
      at(next).breakBefore < BREAK.heading &&
      measure.size(at(next - 1).start, at(end - 1).end) <= overlap &&
      size(next - 1, end + 1) <= limit
    ) {
      next--;
    }
    covered = end;
    first = next;
  }
  return chunks;
}

/** Joins pieces without text to the preceding piece, so that every piece contains text. */
function joinBlanks(text: string, pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const { start, end } = trim(text, piece);
    const last = joined.at(-1);
    if (start < end) joined.push({ ...piece });
    else if (last) last.end = piece.end;
  }
  return joined;
}

/**
 * Returns the next shorter end of a chunk that does not separate a heading from its text. If there is no such
 * end, returns the next shorter end.
 */
function findShorterEnd(pieces: readonly Piece[], shortest: number, from: number): number {
  let end = from - 1;
  while (end > shortest && pieces[end]!.breakBefore === BREAK.never) end--;
  return pieces[end]!.breakBefore === BREAK.never ? from - 1 : end;
}

function findBestEnd(
  pieces: readonly Piece[],
  first: number,
  shortest: number,
  longest: number,
  size: (from: number, to: number) => number,
  limit: number,
): number {
  let best = longest;
  let strength: number = pieces[longest]!.breakBefore;
  for (let end = longest - 1; end >= shortest && strength < BREAK.heading; end--) {
    const candidate = pieces[end]!.breakBefore;
    if (candidate <= strength) continue;
    const fill = size(first, end) / limit;
    if (strength !== BREAK.never && fill < (MIN_FILL[candidate] ?? 1)) {
      if (fill < 0.5) break;
      continue;
    }
    best = end;
    strength = candidate;
  }
  return best;
}
