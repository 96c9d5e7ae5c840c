import type { Rect } from '../geometry.ts';
import { union } from '../geometry.ts';
import { type Line, toLine } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';

/** A visual row of a table: pieces of text side by side, sorted from left to right. */
export interface GridRow {
  segments: Line[];
  rect: Rect;
}

/** Maximum share of rows that may cross the gap between two columns, from 0 to 1. */
const MAX_CROSSING = 0.25;

/** Number of rows above columns of amounts that may cross gaps, as headers above several columns do. */
const MAX_HEADERS = 2;
const YEAR = /^(?:19|20)\d\d\D?$/;

/** Returns whether a text has digits and no letters. */
export const isNumeric = (text: string) => /\d/.test(text) && !/\p{L}/u.test(text);
/** Returns whether a text is numeric and no year, which is often a header. */
export const isAmount = (text: string) => isNumeric(text) && !YEAR.test(text);

/** Returns whether a row has several amounts besides its first piece, which may be a number of the row. */
export const hasAmounts = ({ segments }: GridRow): boolean =>
  segments.filter(({ text }, at) => at > 0 && isAmount(text)).length > 1;

/** Joins overlapping rectangles into columns, from left to right. */
export function mergeColumns(columns: readonly Rect[], segments: readonly Rect[]): Rect[] {
  const sorted = [...columns, ...segments].toSorted((a, b) => a.x0 - b.x0);
  const merged: Rect[] = [];
  for (const rect of sorted) {
    const last = merged.at(-1);
    if (last && rect.x0 < last.x1 + 1) merged[merged.length - 1] = union([last, rect]);
    else merged.push({ x0: rect.x0, y0: rect.y0, x1: rect.x1, y1: rect.y1 });
  }
  return merged;
}

/**
 * Finds the columns of rows. The rows with most pieces vote first. A row with fewer pieces that would merge
 * columns, such as a header above several columns, has no vote unless many rows do the same.
 */
export function findColumnRanges(rows: readonly GridRow[]): Rect[] {
  const all = mergeColumns(
    [],
    rows.flatMap((row) => row.segments),
  );
  const most = rows.reduce((count, row) => Math.max(count, row.segments.length), 0);
  if (all.length >= most) return all;
  const sorted = rows.toSorted((a, b) => b.segments.length - a.segments.length);
  let columns: Rect[] = [];
  let crossing = 0;
  for (const row of sorted) {
    const merged = mergeColumns(columns, row.segments);
    if (merged.length < columns.length && row.segments.length < columns.length) crossing++;
    else columns = merged;
  }
  const share = Math.floor(MAX_CROSSING * rows.length);
  const headers = rows.some(hasAmounts) ? Math.min(MAX_HEADERS, rows.length - 2) : 0;
  const isFew = crossing <= Math.max(headers, share);
  if (!isFew || (crossing > 0 && columns.length === 2)) return all;
  return joinComplements(joinUnsupported(columns, rows), rows);
}

/** Joins columns if more rows cross the gap between them than have pieces on both sides. Amounts count twice. */
function joinUnsupported(columns: readonly Rect[], rows: readonly GridRow[]): Rect[] {
  const crossed = columns.map(() => 0);
  const supported = columns.map(() => 0);
  for (const { segments } of rows) {
    const spans = segments.map((segment) => ({
      from: columns.findIndex((column) => column.x1 > segment.x0),
      to: columns.findLastIndex((column) => column.x0 < segment.x1),
    }));
    for (const [at, { from, to }] of spans.entries()) {
      for (let column = Math.max(0, from); column < to; column++) crossed[column]!++;
      if (spans[at + 1]?.from === to + 1) supported[to]! += isAmount(segments[at + 1]!.text) ? 2 : 1;
    }
  }
  const joined: Rect[] = [];
  for (const [at, column] of columns.entries()) {
    const isJoined = at > 0 && crossed[at - 1]! > 0 && supported[at - 1]! <= crossed[at - 1]!;
    if (isJoined) joined[joined.length - 1] = union([joined.at(-1)!, column]);
    else joined.push(column);
  }
  return joined;
}

/** Maximum gap in letter heights between a centered header and the amounts of its column. */
const MAX_COMPLEMENT_GAP = 2;

/** Joins neighboring columns if one of them only has headers and the other one only has the amounts below. */
function joinComplements(columns: readonly Rect[], rows: readonly GridRow[]): Rect[] {
  const size = rows[0]?.segments[0]?.size ?? 0;
  const filled = columns.map((column) =>
    rows.flatMap(({ segments }, at) =>
      segments.some((segment) => segment.x1 > column.x0 && segment.x0 < column.x1) ? [at] : [],
    ),
  );
  const joined: { rect: Rect; first: number; last: number }[] = [];
  for (const [at, rect] of columns.entries()) {
    const [first, last] = [filled[at]!.at(0) ?? 0, filled[at]!.at(-1) ?? 0];
    const before = joined.at(-1);
    const isHeader = before && before.last < first && before.last < MAX_HEADERS;
    const isBelow = before && last < before.first && last < MAX_HEADERS;
    if (before && at > 1 && (isHeader || isBelow) && rect.x0 - before.rect.x1 < MAX_COMPLEMENT_GAP * size)
      joined[joined.length - 1] = {
        rect: union([before.rect, rect]),
        first: Math.min(first, before.first),
        last: Math.max(last, before.last),
      };
    else joined.push({ rect, first, last });
  }
  return joined.map(({ rect }) => rect);
}

/** Minimum gap between words in letter heights at which a piece is split between columns. */
const MIN_SPLIT_GAP = 0.5;

const MIN_ALIGNED_GAP = 0.2;
/** Maximum distance in letter heights between the start of a column and of a word that begins there. */
const MAX_OFFSET = 0.12;

const isAligned = (word: Rect, column: Rect, size: number) =>
  Math.abs(word.x0 - column.x0) < MAX_OFFSET * size;

/**
 * Splits pieces that cover several columns between words that stand in different columns: at wide gaps, and at
 * usual gaps before a word that starts where the column starts.
 */
export function splitAtColumns(segments: readonly Line[], columns: readonly Rect[]): Line[] {
  return segments.flatMap((segment) => {
    const covered = columns.filter((column) => column.x0 < segment.x1 && column.x1 > segment.x0);
    if (covered.length < 2 || segment.rtl) return [segment];
    const parts: TextWord[][] = [];
    for (const word of segment.words) {
      const before = parts.at(-1)?.at(-1);
      const gap = before ? (word.x0 - before.x1) / segment.size : 0;
      const isApart =
        before &&
        covered.some(
          (column) =>
            column.x0 > (before.x0 + before.x1) / 2 &&
            column.x0 < (word.x0 + word.x1) / 2 &&
            (gap > MIN_SPLIT_GAP || (gap > MIN_ALIGNED_GAP && isAligned(word, column, segment.size))),
        );
      if (before && !isApart) parts.at(-1)!.push(word);
      else parts.push([word]);
    }
    return parts.length < 2 ? [segment] : parts.map((words) => toLine(words, segment.row));
  });
}
