import type { Measure } from './measure.ts';
import { MOST_CHUNKS, tooManyChunks } from './most-chunks.ts';
import type { Pace } from './pace.ts';
import { type Range, type Splitter, trim } from './ranges.ts';

/** How well a chunk may begin at a piece. */
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
 * Cuts a range only as finely as the limit demands: by the first splitter, then whatever is still too large
 * by the next one. There is at least one, and the last must yield pieces that cannot be cut.
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

/** A stretch may count more alone than inside its text, by the space it loses: near the limit, count it alone. */
export function fits(text: string, range: Range, { measure, limit }: Budget): boolean {
  const size = measure.size(range.start, range.end);
  if (size > limit) return false;
  if (size + MARGIN <= limit / 2) return true;
  const { start, end } = trim(text, range);
  return measure.exact(start, end) <= limit;
}

const MARGIN = 8;

/** A strong break is worth a chunk that is filled to this share of the limit. */
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
    // Every chunk is counted again as a whole.
    if (budget.pace.isDue(limit)) await budget.pace.pause();
    let end = Math.max(first, covered) + 1;
    while (end < pieces.length && size(first, end + 1) <= limit) end++;
    if (end < pieces.length) end = bestBreak(pieces, first, Math.max(first, covered) + 1, end, size, limit);

    let chunk = trim(text, { start: at(first).start, end: at(end - 1).end });
    while (end - 1 > Math.max(first, covered) && measure.exact(chunk.start, chunk.end) > limit) {
      end = shorter(pieces, Math.max(first, covered) + 1, end);
      chunk = trim(text, { start: at(first).start, end: at(end - 1).end });
    }
    // The repeated part leaves no room for anything new: begin behind it.
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

/** Blank pieces join the one before them, so that every piece adds something to read. */
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

/** The next shorter end that parts no heading from its text, else the next shorter one. */
function shorter(pieces: readonly Piece[], shortest: number, from: number): number {
  let end = from - 1;
  while (end > shortest && pieces[end]!.breakBefore === BREAK.never) end--;
  return pieces[end]!.breakBefore === BREAK.never ? from - 1 : end;
}

/** The best place to end at or before `longest`, at least `shortest`. */
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
