import type { Measure } from './measure.ts';
import { MOST_CHUNKS, tooManyChunks } from './most-chunks.ts';
import type { Pace } from './pace.ts';
import { type Range, type Splitter, trim } from './ranges.ts';

/** How suitable a piece is as the beginning of a chunk. */
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
 * Splits a range only as finely as the limit requires: by the first splitter, then too large pieces by the
 * next one. The last splitter must yield pieces that cannot be split.
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
 * Returns whether a range fits. A range may have more tokens alone than within its text, so near the limit it
 * is counted alone.
 */
export function fits(text: string, range: Range, { measure, limit }: Budget): boolean {
  const size = measure.size(range.start, range.end);
  if (size > limit) return false;
  if (size + MARGIN <= limit / 2) return true;
  const { start, end } = trim(text, range);
  return measure.exact(start, end) <= limit;
}

const MARGIN = 8;

/** Minimum share of the limit at which a chunk may end for the sake of a strong break. */
const WORTHWHILE_FILL: Record<number, number> = {
  [BREAK.heading]: 0.5,
  [BREAK.block]: 0.7,
  [BREAK.sentence]: 0.85,
};

/**
 * Joins neighbouring pieces into chunks within the limit, each repeating up to `overlap` of the one before.
 * Only a single uncuttable piece may exceed the limit. Repeats never reach back over a heading.
 */
export async function pack(text: string, given: readonly Piece[], budget: Budget): Promise<Range[]> {
  const pieces = withoutBlanks(text, given);
  const { measure, limit, overlap } = budget;
  const chunks: Range[] = [];
  const at = (index: number): Piece => pieces[index]!;
  const size = (from: number, to: number) => measure.size(at(from).start, at(to - 1).end);
  let first = 0;
  let covered = 0;
  while (first < pieces.length) {
    // Counts every chunk again as a whole.
    if (budget.pace.isDue(limit)) await budget.pace.pause();
    let end = Math.max(first, covered) + 1;
    while (end < pieces.length && size(first, end + 1) <= limit) end++;
    if (end < pieces.length) end = bestBreak(pieces, first, Math.max(first, covered) + 1, end, size, limit);

    let chunk = trim(text, { start: at(first).start, end: at(end - 1).end });
    while (end - 1 > Math.max(first, covered) && measure.exact(chunk.start, chunk.end) > limit) {
      end = shorter(pieces, Math.max(first, covered) + 1, end);
      chunk = trim(text, { start: at(first).start, end: at(end - 1).end });
    }
    // The overlap leaves no room for new text, so the chunk begins after it.
    if (first < covered && measure.exact(chunk.start, chunk.end) > limit) {
      first = covered;
      continue;
    }
    chunks.push(chunk);
    if (chunks.length > MOST_CHUNKS) throw tooManyChunks();
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

/** Joins blank pieces to the preceding one, so that every piece contains text. */
function withoutBlanks(text: string, pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = [];
  for (const piece of pieces) {
    const { start, end } = trim(text, piece);
    const last = kept.at(-1);
    if (start < end) kept.push({ ...piece });
    else if (last) last.end = piece.end;
  }
  return kept;
}

/**
 * Returns the next shorter end that does not separate a heading from its text, otherwise the next shorter
 * one.
 */
function shorter(pieces: readonly Piece[], shortest: number, from: number): number {
  let end = from - 1;
  while (end > shortest && pieces[end]!.breakBefore === BREAK.never) end--;
  return pieces[end]!.breakBefore === BREAK.never ? from - 1 : end;
}

/** Returns the best end between `shortest` and `longest`. */
function bestBreak(
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
    if (strength !== BREAK.never && fill < (WORTHWHILE_FILL[candidate] ?? 1)) {
      if (fill < 0.5) break;
      continue;
    }
    best = end;
    strength = candidate;
  }
  return best;
}
