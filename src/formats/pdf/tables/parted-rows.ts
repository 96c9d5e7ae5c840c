import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { overlapX } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import { cellText } from './tables.ts';

/** Letter heights by which the space between rows exceeds that between lines of a row. */
const CLEAR = 0.2;

/**
 * Divides multi-line rows at white space that is larger than that between their lines. Returns undefined if
 * there is no such space, or if it separates groups of rows.
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

/** Column headers below a common header form two rows. */
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

/** Returns a value between the two lowest values that differ by more than `least`. */
function firstStep(values: readonly number[], least: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const at = sorted.findIndex((value, index) => index > 0 && value - sorted[index - 1]! > least);
  return at < 0 ? undefined : (sorted[at]! + sorted[at - 1]!) / 2;
}

/**
 * Returns whether a band contains several rows: at least three lines in each filled column, or several
 * numbers in one column.
 */
export function areRows(segments: readonly Line[], columns: readonly Rect[]): boolean {
  const lines = columns.map((column) => segments.filter((segment) => overlapX(column, segment) > 0));
  const filled = lines.filter((column) => column.length > 0);
  const figures = filled.some((column) => column.filter(({ text }) => isFigure(text)).length > 1);
  return filled.length > 1 && (figures || filled.every((column) => column.length > 2));
}

/** Returns whether each column has equally many lines, as in groups of rows. */
function isEven(segments: readonly Line[], columns: readonly Rect[]): boolean {
  const counts = columns.map((column) => segments.filter((segment) => overlapX(column, segment) > 0).length);
  return counts.every((count) => count === counts[0]);
}

const isFigure = (text: string) => /\d/.test(text) && !/\p{L}/u.test(text) && !/-$/.test(text);

/** Returns the cells of a row. A header above or between several columns belongs to the first of them. */
export function rowCells(segments: readonly Line[], columns: readonly Rect[]): string[] {
  const cells: Line[][] = columns.map(() => []);
  for (const segment of segments) {
    const at = columns.findIndex((column) => overlapX(column, segment) > 0);
    const before = columns.findLastIndex((column) => column.x1 <= segment.x0);
    cells[Math.max(0, at < 0 ? before : at)]!.push(segment);
  }
  return cells.map((lines) => cellText(lines.flatMap((line) => line.words)));
}
