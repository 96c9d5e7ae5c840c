import type { Rect } from '../geometry.ts';
import { centerX, isHorizontal, overlapX } from '../geometry.ts';
import { type Line, toLine } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';

/** Columns that a header covers, both included. */
export interface ColumnSpan {
  from: number;
  to: number;
}

interface HeaderCell extends ColumnSpan {
  text: string;
}

const spanCenter = (columns: readonly Rect[], { from, to }: ColumnSpan) =>
  (columns[from]!.x0 + columns[to]!.x1) / 2;

/** Maximum distance in letter heights between a header and a rule below it that shows its columns. */
const RULE_REACH = 0.9;
/** Maximum distance in letter heights between the centers of a header and of the columns that it covers. */
const CENTER_TOLERANCE = 1;
/** Maximum offset in letter heights between a header and the only column below it. */
const MAX_OFFSET = 0.6;

/** Minimum overlap of a piece with an outer column that it covers, as a share of the narrower one. */
const MIN_OVERLAP = 0.2;

/** Returns the columns that a piece of text overlaps, or the columns on both sides of it. */
export function findOverlappedSpan(piece: Rect, columns: readonly Rect[]): ColumnSpan {
  let from = columns.findIndex((column) => column.x1 > piece.x0);
  let to = columns.findLastIndex((column) => column.x0 < piece.x1);
  if (from < 0) return { from: columns.length - 1, to: columns.length - 1 };
  if (to < 0) return { from: 0, to: 0 };
  if (to < from) return { from: to, to: from };
  const middle = centerX(piece);
  if (to === from) return addNeighbor(middle, from, columns);
  const single = columns.findIndex((column) => column.x0 <= middle && column.x1 >= middle);
  if (single < 0) return { from, to };
  // A wide header above one narrow column reaches over its neighbors but stands centered above the column.
  const offset = Math.abs(spanCenter(columns, { from, to }) - middle);
  if (Math.abs(centerX(columns[single]!) - middle) < 0.3 * offset) return { from: single, to: single };
  const isTouched = (column: Rect) =>
    overlapX(column, piece) < MIN_OVERLAP * Math.min(column.x1 - column.x0, piece.x1 - piece.x0);
  if (isTouched(columns[from]!)) from++;
  if (from < to && isTouched(columns[to]!)) to--;
  return { from, to };
}

/** Adds the next column to a span of one column if the center of the text is between the two columns. */
function addNeighbor(middle: number, at: number, columns: readonly Rect[]): ColumnSpan {
  const column = columns[at]!;
  const isLeft = middle < column.x0;
  const other = columns[isLeft ? at - 1 : at + 1];
  if (!other || (middle >= column.x0 && middle <= column.x1)) return { from: at, to: at };
  const span = isLeft ? { from: at - 1, to: at } : { from: at, to: at + 1 };
  const isBetween = Math.abs(spanCenter(columns, span) - middle) < 0.5 * Math.abs(centerX(column) - middle);
  return isBetween ? span : { from: at, to: at };
}

/** Returns the columns above a short rule that underlines a header. */
export function findUnderlinedSpan(
  piece: Line,
  columns: readonly Rect[],
  rules: readonly Rect[],
): ColumnSpan | undefined {
  const width = columns.at(-1)!.x1 - columns[0]!.x0;
  const rule = rules.find(
    (each) =>
      isHorizontal(each) &&
      each.y0 > piece.y1 - 0.4 * piece.size &&
      each.y0 < piece.y1 + RULE_REACH * piece.size &&
      each.x1 - each.x0 < 0.9 * width &&
      each.x1 - each.x0 > piece.x1 - piece.x0 - 1 &&
      overlapX(each, piece) > 0.9 * (piece.x1 - piece.x0),
  );
  if (!rule) return undefined;
  const covered = (column: Rect) => centerX(column) > rule.x0 && centerX(column) < rule.x1;
  const from = columns.findIndex(covered);
  return from < 0 ? undefined : { from, to: columns.findLastIndex(covered) };
}

/** Extends the span of a centered header over columns between `least` and `most`, while it stays centered. */
function growSpan(
  piece: Line,
  span: ColumnSpan,
  columns: readonly Rect[],
  least: number,
  most: number,
): ColumnSpan {
  let { from, to } = span;
  const measure = (some: ColumnSpan) => Math.abs(spanCenter(columns, some) - centerX(piece));
  for (;;) {
    const isLeft = spanCenter(columns, { from, to }) > centerX(piece);
    const next = isLeft ? { from: from - 1, to } : { from, to: to + 1 };
    if (next.from < least || next.to > most || measure(next) >= measure({ from, to })) break;
    ({ from, to } = next);
  }
  while (from > least && to < most) {
    const next = { from: from - 1, to: to + 1 };
    if (measure(next) > CENTER_TOLERANCE * piece.size) break;
    ({ from, to } = next);
  }
  return { from, to };
}

/** Returns whether a header starts, ends or is centered as the column below it. */
function isAlignedWith(piece: Line, column: Rect): boolean {
  const offsets = [piece.x0 - column.x0, piece.x1 - column.x1, centerX(piece) - centerX(column)];
  return offsets.some((offset) => Math.abs(offset) < MAX_OFFSET * piece.size);
}

/**
 * Assigns the pieces of a header line to columns. A rule below a piece shows its columns. Without one, a piece
 * above other headers covers the columns between its neighbors above which it is centered.
 */
function assignLine(
  line: readonly Line[],
  columns: readonly Rect[],
  rules: readonly Rect[],
  isUpper: boolean,
): HeaderCell[] {
  const underlined = line.map((piece) => findUnderlinedSpan(piece, columns, rules));
  const spans = line.map((piece, at) => underlined[at] ?? findOverlappedSpan(piece, columns));
  return line.map((piece, at) => {
    const span = spans[at]!;
    const least = (spans[at - 1]?.to ?? 0) + 1;
    const most = (spans[at + 1]?.from ?? columns.length) - 1;
    const isAligned = span.from === span.to && isAlignedWith(piece, columns[span.from]!);
    const canGrow = isUpper && !underlined[at] && span.to > 0 && !isAligned;
    return {
      ...(canGrow ? growSpan(piece, span, columns, least, most) : span),
      text: piece.text,
    };
  });
}

/**
 * Splits a piece directly above the body if its words stand above different columns. A common header would have
 * other headers below it.
 */
function splitIntoColumns(piece: Line, columns: readonly Rect[], rules: readonly Rect[]): Line[] {
  const { from, to } = findOverlappedSpan(piece, columns);
  if (to === from || piece.rtl || findUnderlinedSpan(piece, columns, rules)) return [piece];
  const parts = new Map<number, TextWord[]>();
  for (const word of piece.words) {
    let nearest = from;
    for (let at = from; at <= to; at++) {
      const distance = Math.abs(centerX(columns[at]!) - centerX(word));
      if (distance < Math.abs(centerX(columns[nearest]!) - centerX(word))) nearest = at;
    }
    const part = parts.get(nearest);
    if (part) part.push(word);
    else parts.set(nearest, [word]);
  }
  if (parts.size <= to - from) return [piece];
  return [...parts.values()].map((words) => toLine(words, piece.row));
}

const isInside = (inner: ColumnSpan, outer: ColumnSpan) =>
  inner.from >= outer.from && inner.to <= outer.to && inner.to - inner.from < outer.to - outer.from;

/**
 * Adds a line to a level of headers: to the headers with the same columns, or as further headers. Returns false
 * if a header covers only a part of the columns of another one, which means that the lines were misread.
 */
function addToLevel(level: HeaderCell[], cells: readonly HeaderCell[], lineBreak: string): boolean {
  const before = [...level];
  for (const cell of cells) {
    const shared = before.filter((each) => each.from <= cell.to && each.to >= cell.from);
    if (shared.some((each) => each.from !== cell.from || each.to !== cell.to)) return false;
    for (const each of shared) each.text += lineBreak + cell.text;
    if (shared.length === 0) level.push({ ...cell });
  }
  return true;
}

/**
 * Builds the header rows of a table from the lines above its body. A header above several columns is repeated
 * in each of them. Lines of one header are joined by `lineBreak`. Returns `undefined` if the lines contradict one
 * another.
 */
export function buildHeaderRows(
  lines: readonly (readonly Line[])[],
  columns: readonly Rect[],
  rules: readonly Rect[],
  lineBreak: string,
): string[][] | undefined {
  const levels: HeaderCell[][] = [];
  for (const [at, pieces] of lines.entries()) {
    const isLast = at === lines.length - 1;
    const line = isLast ? pieces.flatMap((piece) => splitIntoColumns(piece, columns, rules)) : pieces;
    const cells = assignLine(line, columns, rules, !isLast);
    const level = levels.at(-1);
    const isNested = level?.some((outer) => cells.some((cell) => isInside(cell, outer)));
    if (!level || isNested) levels.push(cells);
    else if (!addToLevel(level, cells, lineBreak)) return undefined;
  }
  const rows = levels.map((level) =>
    columns.map((_, column) =>
      level
        .filter(({ from, to }) => from <= column && to >= column)
        .map(({ text }) => text)
        .join(lineBreak),
    ),
  );
  moveUp(rows);
  return rows;
}

/** Moves headers without a common header above them to the first row, which Markdown marks as the header. */
function moveUp(rows: string[][]): void {
  for (const column of rows[0]?.keys() ?? []) {
    if (rows[0]![column] !== '') continue;
    const from = rows.findIndex((row) => row[column] !== '');
    if (from < 0) continue;
    rows[0]![column] = rows[from]![column]!;
    rows[from]![column] = '';
  }
}
