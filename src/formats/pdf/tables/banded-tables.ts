import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { containsCenter, isHorizontal, overlapX, union } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import { linesOf, segmentsOf } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';
import { areRows, rowCells } from './parted-rows.ts';
import type { Table } from './tables.ts';

/** Tolerance in points for equal lengths and heights of lines. */
const SNAP = 3;
const MIN_BANDS = 3;
const MAX_BANDS = 400;
const MIN_FILLED = 0.45;
const MAX_WORDS_PER_CELL = 15;
/** Factor of the row height within which a row without its own line belongs to the table. */
const REACH = 1.25;

const middle = (rect: Rect) => (rect.y0 + rect.y1) / 2;

/**
 * Finds tables whose rows lie between horizontal lines of equal length or on coloured stripes, and whose
 * columns are separated by white space. Rows above the first and below the last line belong to the table if
 * they fit its columns.
 */
export function bandedTables(rules: readonly Rect[], words: readonly TextWord[]): Table[] {
  return stacksOf(fullLines(rules)).flatMap((stack) => tableOf(stack, words) ?? []);
}

/** Joins touching pieces of horizontal lines, from top to bottom. */
function fullLines(rules: readonly Rect[]): Rect[] {
  const across = rules.filter(isHorizontal).toSorted((a, b) => middle(a) - middle(b));
  const levels: Rect[][] = [];
  for (const rule of across) {
    const level = levels.at(-1);
    if (level && middle(rule) - middle(level[0]!) <= SNAP / 2) level.push(rule);
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

/** Groups lines of equal length below each other. */
function stacksOf(lines: readonly Rect[]): Rect[][] {
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

function tableOf(stack: readonly Rect[], words: readonly TextWord[]): Table | undefined {
  const { x0, x1 } = union(stack);
  const beside = words.filter((word) => (word.x0 + word.x1) / 2 > x0 && (word.x0 + word.x1) / 2 < x1);
  const bands: TextWord[][] = [];
  const heights: number[] = [];
  for (const [at, line] of stack.slice(1).entries()) {
    const box = { x0, x1, y0: middle(stack[at]!), y1: middle(line) };
    const inside = beside.filter((word) => containsCenter(box, word));
    if (inside.length === 0) continue;
    bands.push(inside);
    heights.push(box.y1 - box.y0);
  }
  if (bands.length < MIN_BANDS - 1) return undefined;
  const pieces = bands.map(segmentsOf);
  const columns = columnsOf(pieces);
  if (columns.length < 2) return undefined;
  // If one band contains what others hold in many, the lines separate groups of rows.
  if (pieces.some((segments) => areRows(segments, columns))) return undefined;
  const reach = REACH * largest(heights);
  const outside = (y0: number, y1: number, last: boolean) => {
    const near = segmentsOf(beside.filter((word) => containsCenter({ x0, x1, y0, y1 }, word)));
    const row = linesOf(near).at(last ? -1 : 0)?.row;
    const segments = near.filter((segment) => segment.row === row);
    const fits = segments.length > 1 && segments.every((segment) => placesOf(segment, columns) <= 1);
    return fits && segments.length * 2 >= columns.length
      ? segments.flatMap((segment) => segment.words)
      : undefined;
  };
  const [top, bottom] = [middle(stack[0]!), middle(stack.at(-1)!)];
  const above = outside(top - reach, top, true);
  const below = outside(bottom, bottom + reach, false);
  if (above) bands.unshift(above);
  if (below) bands.push(below);
  if (bands.length < MIN_BANDS) return undefined;
  const rows = bands.map((band) => rowCells(segmentsOf(band), columns));
  const filled = rows.flat().filter((text) => text !== '').length;
  const count = bands.reduce((sum, band) => sum + band.length, 0);
  if (filled < MIN_FILLED * rows.length * columns.length || count > MAX_WORDS_PER_CELL * filled)
    return undefined;
  const box = union([...stack, ...(above ?? []), ...(below ?? [])]);
  return { ...box, rows };
}

const placesOf = (piece: Rect, columns: readonly Rect[]) =>
  columns.filter((column) => overlapX(column, piece) > 0).length;

/** Returns the columns of aligned pieces. A header above several columns does not join them. */
function columnsOf(pieces: readonly (readonly Line[])[]): Rect[] {
  const most = largest(pieces.map((segments) => linesWith(segments)));
  const telling = pieces.filter((segments) => linesWith(segments) * 2 >= most);
  const sorted = telling.flat().toSorted((a, b) => a.x0 - b.x0);
  const columns: Rect[] = [];
  for (const { x0, y0, x1, y1 } of sorted) {
    const last = columns.at(-1);
    if (last && x0 < last.x1 + 1) columns[columns.length - 1] = union([last, { x0, y0, x1, y1 }]);
    else columns.push({ x0, y0, x1, y1 });
  }
  return columns;
}

/** Returns the largest number of pieces on one line. */
function linesWith(segments: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { row } of segments) counts.set(row, (counts.get(row) ?? 0) + 1);
  return largest(counts.values(), 0);
}
