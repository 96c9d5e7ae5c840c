import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { centerY, containsCenter, isHorizontal, overlapX, union } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import { joinIntoLines, splitIntoSegments } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';
import { buildRowCells, containsSeveralRows } from './multi-line-rows.ts';
import type { Table } from './tables.ts';

/** Maximum difference in points at which ends and heights of lines count as equal. */
const SNAP = 3;
const MIN_BANDS = 3;
const MAX_BANDS = 400;
const MIN_FILLED = 0.45;
const MAX_WORDS_PER_CELL = 15;
/** Maximum distance of a row outside the outermost lines, as a multiple of the largest row height. */
const REACH = 1.25;

/**
 * Finds tables whose rows lie between horizontal lines of equal length or on colored stripes, and whose
 * columns are separated by white space. A row above the first line or below the last one belongs to the table
 * if it fits the columns.
 */
export function findBandedTables(rules: readonly Rect[], words: readonly TextWord[]): Table[] {
  return groupEqualLines(joinHorizontalLines(rules)).flatMap((stack) => buildBandedTable(stack, words) ?? []);
}

/** Joins the touching pieces of horizontal lines. The result is sorted from top to bottom. */
function joinHorizontalLines(rules: readonly Rect[]): Rect[] {
  const across = rules.filter(isHorizontal).toSorted((a, b) => centerY(a) - centerY(b));
  const levels: Rect[][] = [];
  for (const rule of across) {
    const level = levels.at(-1);
    if (level && centerY(rule) - centerY(level[0]!) <= SNAP / 2) level.push(rule);
    else levels.push([rule]);
  }
  return levels.flatMap((level) => {
    const lines: Rect[] = [];
    for (const rule of level.toSorted((a, b) => a.x0 - b.x0)) {
      const last = lines.at(-1);
      if (last && rule.x0 - last.x1 <= SNAP) lines[lines.length - 1] = union([last, rule]);
      else lines.push(rule);
    }
    return lines;
  });
}

/** Groups lines that start and end at the same positions. */
function groupEqualLines(lines: readonly Rect[]): Rect[][] {
  const stacks: Rect[][] = [];
  for (const line of lines) {
    const stack = stacks.find(
      ([first]) => Math.abs(first!.x0 - line.x0) <= SNAP && Math.abs(first!.x1 - line.x1) <= SNAP,
    );
    if (stack) stack.push(line);
    else stacks.push([line]);
  }
  return stacks.filter((stack) => stack.length >= MIN_BANDS && stack.length <= MAX_BANDS);
}

function buildBandedTable(stack: readonly Rect[], words: readonly TextWord[]): Table | undefined {
  const { x0, x1 } = union(stack);
  const tableWords = words.filter((word) => (word.x0 + word.x1) / 2 > x0 && (word.x0 + word.x1) / 2 < x1);
  const bands: TextWord[][] = [];
  const heights: number[] = [];
  for (const [at, line] of stack.slice(1).entries()) {
    const box = { x0, x1, y0: centerY(stack[at]!), y1: centerY(line) };
    const inside = tableWords.filter((word) => containsCenter(box, word));
    if (inside.length === 0) continue;
    bands.push(inside);
    heights.push(box.y1 - box.y0);
  }
  if (bands.length < MIN_BANDS - 1) return undefined;
  const pieces = bands.map(splitIntoSegments);
  const columns = findColumns(pieces);
  if (columns.length < 2) return undefined;
  // If one band contains several rows of cells, the lines only separate groups of rows.
  if (pieces.some((segments) => containsSeveralRows(segments, columns))) return undefined;
  const reach = REACH * largest(heights);
  const outside = (y0: number, y1: number, last: boolean) => {
    const near = splitIntoSegments(tableWords.filter((word) => containsCenter({ x0, x1, y0, y1 }, word)));
    const row = joinIntoLines(near).at(last ? -1 : 0)?.row;
    const segments = near.filter((segment) => segment.row === row);
    const fits =
      segments.length > 1 && segments.every((segment) => countOverlappingColumns(segment, columns) <= 1);
    return fits && segments.length * 2 >= columns.length
      ? segments.flatMap((segment) => segment.words)
      : undefined;
  };
  const [top, bottom] = [centerY(stack[0]!), centerY(stack.at(-1)!)];
  const above = outside(top - reach, top, true);
  const below = outside(bottom, bottom + reach, false);
  if (above) bands.unshift(above);
  if (below) bands.push(below);
  if (bands.length < MIN_BANDS) return undefined;
  const rows = bands.map((band) => buildRowCells(splitIntoSegments(band), columns));
  const filled = rows.flat().filter((text) => text !== '').length;
  const count = bands.reduce((sum, band) => sum + band.length, 0);
  if (filled < MIN_FILLED * rows.length * columns.length || count > MAX_WORDS_PER_CELL * filled)
    return undefined;
  const box = union([...stack, ...(above ?? []), ...(below ?? [])]);
  return { ...box, rows };
}

const countOverlappingColumns = (piece: Rect, columns: readonly Rect[]) =>
  columns.filter((column) => overlapX(column, piece) > 0).length;

/**
 * Returns the columns in which pieces of text are aligned. A header that spans several columns does not merge
 * them.
 */
function findColumns(pieces: readonly (readonly Line[])[]): Rect[] {
  const most = largest(pieces.map((segments) => countPiecesPerLine(segments)));
  const detailed = pieces.filter((segments) => countPiecesPerLine(segments) * 2 >= most);
  const sorted = detailed.flat().toSorted((a, b) => a.x0 - b.x0);
  const columns: Rect[] = [];
  for (const { x0, y0, x1, y1 } of sorted) {
    const last = columns.at(-1);
    if (last && x0 < last.x1 + 1) columns[columns.length - 1] = union([last, { x0, y0, x1, y1 }]);
    else columns.push({ x0, y0, x1, y1 });
  }
  return columns;
}

/** Returns the largest number of pieces on one line. */
function countPiecesPerLine(segments: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { row } of segments) counts.set(row, (counts.get(row) ?? 0) + 1);
  return largest(counts.values(), 0);
}
