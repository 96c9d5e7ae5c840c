import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { overlapX } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import { isNumeric } from './column-ranges.ts';
import { readCellText } from './tables.ts';

/** Minimum difference between the gaps of rows and the gaps of lines within a row, in letter heights. */
const MIN_GAP_DIFFERENCE = 0.2;

/**
 * Splits lines into multi-line rows at gaps that are larger than the gaps between lines of a row. Returns
 * `undefined` if there are no such gaps, or if they separate groups of rows.
 */
export function splitRowsAtGaps(
  lines: readonly { segments: readonly Line[]; rect: Rect }[],
  columns: readonly Rect[],
): Line[][] | undefined {
  const gaps: number[] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const { rect } of lines) {
    gaps.push(Math.max(0, rect.y0 - bottom));
    bottom = Math.max(bottom, rect.y1);
  }
  const limit = findGapThreshold(gaps.slice(1), MIN_GAP_DIFFERENCE * (lines[0]?.segments[0]?.size ?? 0));
  if (limit === undefined) return undefined;
  const rows: Line[][] = [];
  for (const [at, { segments }] of lines.entries()) {
    if (gaps[at]! > limit) rows.push([...segments]);
    else for (const each of segments) rows.at(-1)!.push(each);
  }
  const several = rows.filter((row) => row.some((piece) => piece.row !== row[0]!.row));
  const even = several.filter((row) => hasEqualLineCounts(row, columns));
  if (even.length * 2 >= several.length || rows.some((row) => containsSeveralRows(row, columns)))
    return undefined;
  return [...splitHeaderRows(rows[0]!, columns), ...rows.slice(1)];
}

/** Splits a header into two rows if a common header stands above several column headers. */
function splitHeaderRows(head: Line[], columns: readonly Rect[]): Line[][] {
  const last = largest(head.map((piece) => piece.y1));
  const lower = head.filter((piece) => piece.y1 > last - piece.size / 2);
  const upper = head.filter((piece) => !lower.includes(piece));
  const isAcross = (piece: Rect) => {
    const center = (piece.x0 + piece.x1) / 2;
    return !columns.some((column) => column.x0 <= center && column.x1 >= center);
  };
  return lower.length > 1 && upper.some(isAcross) ? [upper, lower] : [head];
}

/**
 * Returns the middle between the two smallest neighboring values that differ by more than `least`, or
 * `undefined` if there are none.
 */
function findGapThreshold(values: readonly number[], least: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const at = sorted.findIndex((value, index) => index > 0 && value - sorted[index - 1]! > least);
  return at < 0 ? undefined : (sorted[at]! + sorted[at - 1]!) / 2;
}

/**
 * Returns whether the segments form several rows. In several rows, each filled column has at least three
 * lines, or a column has several numbers.
 */
export function containsSeveralRows(segments: readonly Line[], columns: readonly Rect[]): boolean {
  const lines = columns.map((column) => segments.filter((segment) => overlapX(column, segment) > 0));
  const filled = lines.filter((column) => column.length > 0);
  const figures = filled.some((column) => column.filter(({ text }) => isNumber(text)).length > 1);
  return filled.length > 1 && (figures || filled.every((column) => column.length > 2));
}

/** Returns whether all columns have the same number of lines, as in a group of rows. */
function hasEqualLineCounts(segments: readonly Line[], columns: readonly Rect[]): boolean {
  const counts = columns.map((column) => segments.filter((segment) => overlapX(column, segment) > 0).length);
  return counts.every((count) => count === counts[0]);
}

/** Numbers that end with a hyphen continue on the next line. */
const isNumber = (text: string) => isNumeric(text) && !text.endsWith('-');

/**
 * Returns the texts of a row by column. A header above or between several columns belongs to the first of
 * them.
 */
export function buildRowCells(segments: readonly Line[], columns: readonly Rect[]): string[] {
  const cells: Line[][] = columns.map(() => []);
  for (const segment of segments) {
    const at = columns.findIndex((column) => overlapX(column, segment) > 0);
    const before = columns.findLastIndex((column) => column.x1 <= segment.x0);
    cells[Math.max(0, at < 0 ? before : at)]!.push(segment);
  }
  return cells.map((lines) => readCellText(lines.flatMap((line) => line.words)));
}
