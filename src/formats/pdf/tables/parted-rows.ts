import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { overlapX } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import { cellText } from './tables.ts';

/** Letter heights by which white between rows is more than any between the lines of a row. */
const CLEAR = 0.2;

/**
 * The pieces of each row of a table whose cells have several lines, where more white parts the rows than the lines
 * in them; undefined where no such white is, or what it parts are groups of rows.
 */
export function partedByWhite(
  lines: readonly { segments: readonly Line[]; rect: Rect }[],
  columns: readonly Rect[],
): Line[][] | undefined {
  const gaps: number[] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const { rect } of lines) {
    gaps.push(Math.max(0, rect.y0 - bottom));
    bottom = Math.max(bottom, rect.y1);
  }
  const limit = firstStep(gaps.slice(1), CLEAR * (lines[0]?.segments[0]?.size ?? 0));
  if (limit === undefined) return undefined;
  const rows: Line[][] = [];
  for (const [at, { segments }] of lines.entries()) {
    if (gaps[at]! > limit) rows.push([...segments]);
    else for (const each of segments) rows.at(-1)!.push(each);
  }
  const several = rows.filter((row) => row.some((piece) => piece.row !== row[0]!.row));
  const even = several.filter((row) => isEven(row, columns));
  if (even.length * 2 >= several.length || rows.some((row) => areRows(row, columns))) return undefined;
  return [...headRows(rows[0]!, columns), ...rows.slice(1)];
}

/** A head in which headings of columns stand under a heading of them all is two rows. */
function headRows(head: Line[], columns: readonly Rect[]): Line[][] {
  const last = largest(head.map((piece) => piece.y1));
  const lower = head.filter((piece) => piece.y1 > last - piece.size / 2);
  const upper = head.filter((piece) => !lower.includes(piece));
  const isAcross = (piece: Rect) => {
    const center = (piece.x0 + piece.x1) / 2;
    return !columns.some((column) => column.x0 <= center && column.x1 >= center);
  };
  return lower.length > 1 && upper.some(isAcross) ? [upper, lower] : [head];
}

/** Between the two lowest values that are farther apart than `least`. */
function firstStep(values: readonly number[], least: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const at = sorted.findIndex((value, index) => index > 0 && value - sorted[index - 1]! > least);
  return at < 0 ? undefined : (sorted[at]! + sorted[at - 1]!) / 2;
}

/** Whether what white or lines part holds several rows: several lines in each column, or several figures in one. */
export function areRows(segments: readonly Line[], columns: readonly Rect[]): boolean {
  const lines = columns.map((column) => segments.filter((segment) => overlapX(column, segment) > 0));
  const filled = lines.filter((column) => column.length > 0);
  const figures = filled.some((column) => column.filter(({ text }) => isFigure(text)).length > 1);
  return filled.length > 1 && (figures || filled.every((column) => column.length > 2));
}

/** As many lines in each column: rows of a group look so, the cells of one row seldom. */
function isEven(segments: readonly Line[], columns: readonly Rect[]): boolean {
  const counts = columns.map((column) => segments.filter((segment) => overlapX(column, segment) > 0).length);
  return counts.every((count) => count === counts[0]);
}

const isFigure = (text: string) => /\d/.test(text) && !/\p{L}/u.test(text) && !/-$/.test(text);

/** The text of each cell of a row. A heading above several columns, or between two, stands in the first of them. */
export function rowCells(segments: readonly Line[], columns: readonly Rect[]): string[] {
  const cells: Line[][] = columns.map(() => []);
  for (const segment of segments) {
    const at = columns.findIndex((column) => overlapX(column, segment) > 0);
    const before = columns.findLastIndex((column) => column.x1 <= segment.x0);
    cells[Math.max(0, at < 0 ? before : at)]!.push(segment);
  }
  return cells.map((lines) => cellText(lines.flatMap((line) => line.words)));
}
