import { largest, smallest } from '#src/lib/extremes.ts';
import { median, overlapX, union } from '../../geometry.ts';
import type { Line } from '../lines.ts';
import { splitIntoCardRows } from './numbered-cards.ts';
import { isNonText, type Piece, type Section } from './pieces.ts';
import { isProse, isSidebar } from './prose.ts';

const MAX_DEPTH = 6;
const STEP = 3;
const MAX_CANDIDATES = 24;
const MIN_LINES = 3;
/** Maximum number of lines before and after a line that are searched for lines above and below it. */
const MAX_NEIGHBOURS = 12;
/** Minimum number of line ends for judging one column by itself. */
const MIN_ENDS_PER_SIDE = 8;

const quantile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.round((values.length - 1) * share)]!;

interface Cut {
  x: number;
  score: number;
}

const sumHeights = (pieces: readonly Piece[]) => pieces.reduce((sum, piece) => sum + piece.y1 - piece.y0, 0);

/**
 * Splits a region at the pieces that cross `x`, from top to bottom. Each section between them has a left and
 * a right side.
 */
function splitIntoSections(pieces: readonly Piece[], x: number): (Section | Piece)[] {
  const result: (Section | Piece)[] = [];
  const spanning = pieces.filter((piece) => piece.x0 < x && piece.x1 > x);
  const rest = pieces.filter((piece) => !(piece.x0 < x && piece.x1 > x));
  let from = 0;
  const sorted = rest.toSorted((a, b) => a.y0 + a.y1 - b.y0 - b.y1);
  const take = (limit: number) => {
    const section: Section = { left: [], right: [] };
    while (from < sorted.length && (sorted[from]!.y0 + sorted[from]!.y1) / 2 < limit) {
      const piece = sorted[from++]!;
      (piece.x1 <= x ? section.left : section.right).push(piece);
    }
    if (section.left.length + section.right.length > 0) result.push(section);
  };
  for (const piece of spanning.toSorted((a, b) => a.y0 - b.y0)) {
    take((piece.y0 + piece.y1) / 2);
    result.push(piece);
  }
  take(Infinity);
  return result;
}

const isSection = (part: Section | Piece): part is Section => 'left' in part;

function isTwoColumns({ left, right }: Section, width: number): boolean {
  if (left.length < MIN_LINES || right.length < MIN_LINES) return false;
  const a = union(left);
  const b = union(right);
  const shared = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  if (shared < 0.3 * Math.min(a.y1 - a.y0, b.y1 - b.y0)) return false;
  // Single long lines may extend into the gutter between columns, so quantiles are compared.
  const gutter =
    quantile(
      right.map((piece) => piece.x0),
      0.1,
    ) -
    quantile(
      left.map((piece) => piece.x1),
      0.9,
    );
  const size = median([...left, ...right].map((piece) => (isNonText(piece) ? 10 : piece.size)));
  if (gutter < 0.8 * size) return false;
  const [isLeftProse, isRightProse] = [isProse(left, width), isProse(right, width)];
  if (!isLeftProse || !isRightProse)
    return (
      (isLeftProse && hasFullLines(left) && isSidebar(right, left)) ||
      (isRightProse && hasFullLines(right) && isSidebar(left, right))
    );
  if (!areAlignedInRows(left, right)) return true;
  const sides = [countLineEnds(left), countLineEnds(right)] as const;
  const both = { full: sides[0].full + sides[1].full, open: sides[0].open + sides[1].open };
  return isMostlyFull(both) || hasFullLines(left) || hasFullLines(right);
}

/** Returns whether a column has enough line ends to be judged by itself, and most of its lines are full. */
function hasFullLines(pieces: readonly Piece[]): boolean {
  const ends = countLineEnds(pieces);
  return ends.full + ends.open >= MIN_ENDS_PER_SIDE && isMostlyFull(ends);
}

/** Returns whether most lines on each side have a line at the same height on the other side. */
function areAlignedInRows(left: readonly Piece[], right: readonly Piece[]): boolean {
  const key = (piece: Piece) => Math.round(piece.y1 / STEP);
  const isAligned = (some: readonly Piece[], others: readonly Piece[]) => {
    const heights = new Set(others.flatMap((piece) => [key(piece) - 1, key(piece), key(piece) + 1]));
    return some.filter((piece) => heights.has(key(piece))).length >= 0.8 * some.length;
  };
  return isAligned(left, right) && isAligned(right, left);
}

/** Returns whether at least two of three lines are full, so that the next line's first word would not fit. */
const isMostlyFull = ({ full, open }: { full: number; open: number }) => full >= 2 * open;

/**
 * Counts lines that are full, as in prose, and lines that end earlier, as in table cells below one another.
 */
function countLineEnds(pieces: readonly Piece[]): { full: number; open: number } {
  const lines = pieces
    .filter((piece): piece is Line => !isNonText(piece))
    .toSorted((a, b) => a.y1 - b.y1 || a.x0 - b.x0);
  let [full, open] = [0, 0];
  for (const [at, line] of lines.entries()) {
    const under = (other: Line) => overlapX(line, other) > 0;
    const next = lines
      .slice(at + 1, at + 1 + MAX_NEIGHBOURS)
      .find((other) => other.y1 > line.y1 + STEP && under(other));
    if (!next) continue;
    const near = lines.slice(Math.max(0, at - MAX_NEIGHBOURS), at + MAX_NEIGHBOURS).filter(under);
    const first = (next.x1 - next.x0) * (next.text.split(' ', 1)[0]!.length / Math.max(1, next.text.length));
    const room = next.rtl
      ? line.x0 - smallest(near.map(({ x0 }) => x0))
      : largest(near.map(({ x1 }) => x1)) - line.x1;
    if (room > first + 0.3 * line.size) open++;
    else full++;
  }
  return { full, open };
}

/** Returns positions where a column may begin or end: left and right edges that several lines share. */
function findColumnEdges(pieces: readonly Piece[]): number[] {
  const shared = new Map<number, number>();
  for (const piece of pieces) {
    for (const edge of [piece.x0 - STEP / 2, piece.x1 + STEP / 2]) {
      const key = Math.round(edge / STEP);
      shared.set(key, (shared.get(key) ?? 0) + 1);
    }
  }
  const often = [...shared].filter(([, count]) => count >= MIN_LINES);
  return often
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MAX_CANDIDATES)
    .flatMap(([key]) => [key * STEP]);
}

function findBestCut(pieces: readonly Piece[]): Cut | undefined {
  const region = union(pieces);
  const width = region.x1 - region.x0;
  let best: Cut | undefined;
  const total = sumHeights(pieces);
  for (const x of findColumnEdges(pieces)) {
    if (x < region.x0 + width * 0.1 || x > region.x1 - width * 0.1) continue;
    const crossing = sumHeights(pieces.filter((piece) => piece.x0 < x && piece.x1 > x));
    if (crossing > total * 0.6) continue;
    let score = 0;
    for (const part of splitIntoSections(pieces, x)) {
      if (isSection(part) && isTwoColumns(part, width))
        score += Math.min(sumHeights(part.left), sumHeights(part.right));
    }
    if (score > 0 && (!best || score > best.score)) best = { x, score };
  }
  return best;
}

/** Splits a region into groups of pieces in reading order. Each group is read from top to bottom. */
export function sortByColumns(pieces: readonly Piece[], depth = 0): Piece[][] {
  if (pieces.length < 2 * MIN_LINES || depth >= MAX_DEPTH) return [[...pieces]];
  const cut = findBestCut(pieces);
  if (!cut) return [[...pieces]];
  const width = union(pieces).x1 - union(pieces).x0;
  const rtl = pieces.filter((piece) => !isNonText(piece) && piece.rtl).length > pieces.length / 2;
  const runs: Piece[][] = [];
  let open: Piece[] = [];
  const flush = () => {
    if (open.length > 0) for (const each of sortByColumns(open, depth + 1)) runs.push(each);
    open = [];
  };
  for (const part of splitIntoSections(pieces, cut.x)) {
    if (!isSection(part)) open.push(part);
    else if (!isTwoColumns(part, width) && runs.length === 0 && open.length === 0)
      for (const side of [part.left, part.right]) for (const line of side) open.push(line);
    else if (
      isTwoColumns(part, width) ||
      (part.left.length > 0 && part.right.length > 0 && isShortTail(part))
    ) {
      flush();
      for (const { left, right } of splitIntoCardRows(part))
        for (const half of rtl ? [right, left] : [left, right])
          for (const run of sortByColumns(half, depth + 1)) runs.push(run);
    } else for (const side of [part.left, part.right]) for (const line of side) open.push(line);
  }
  flush();
  return runs;
}

/**
 * Returns whether a section is too short to be judged, as the rest of columns above or below a spanning
 * piece.
 */
function isShortTail({ left, right }: Section): boolean {
  return left.length < MIN_LINES || right.length < MIN_LINES;
}
