import type { Rect } from '../geometry.ts';
import { isHorizontal, overlapX, union } from '../geometry.ts';
import type { Line } from '../text/lines.ts';
import { type AttachedHeader, isHeaderLike } from './attached-headers.ts';
import { type GridRow, isAmount, isNumeric } from './column-ranges.ts';
import { buildHeaderRows, findOverlappedSpan } from './header-rows.ts';
import { buildRowCells, splitRowsAtGaps } from './multi-line-rows.ts';
import type { Table } from './tables.ts';

/** Requirements that rows must meet to count as a table. */
export interface TableRequirements {
  /** Minimum number of rows with several pieces, unless rules or full rows also suggest a table. */
  rows: number;
  /** Minimum share of filled cells, from 0 to 1. */
  filled: number;
  wordsPerCell: number;
}

/** Minimum difference between the gaps above and below a line that decides to which row it belongs. */
const MIN_GAP_DIFFERENCE = 0.15;
/** Maximum number of header rows whose pieces may stand above several columns. */
export const MAX_SPANNING_ROWS = 3;

export const countWords = (line: Line) => line.words.length;
/** Returns whether every row has a piece in every column. Chance alignments have gaps. */
const fillsEveryColumn = (run: readonly GridRow[], columns: readonly Rect[]) =>
  run.every((row) => row.segments.length === columns.length);

/** Returns whether a horizontal rule spans most of the width of the rows, above, between or below them. */
function isRuled(run: readonly GridRow[], rules: readonly Rect[]): boolean {
  const box = union(run.map((row) => row.rect));
  const reach = run[0]!.segments[0]!.size;
  return rules.some(
    (rule) =>
      isHorizontal(rule) &&
      rule.y0 > box.y0 - reach &&
      rule.y1 < box.y1 + reach &&
      overlapX(rule, box) > 0.6 * (box.x1 - box.x0),
  );
}

/**
 * Builds a table from a run of rows and the header lines above it. Returns `undefined` if the rows do not meet
 * the requirements.
 */
export function buildAlignedTable(
  run: readonly GridRow[],
  columns: readonly Rect[],
  attached: AttachedHeader,
  rules: readonly Rect[],
  demands: TableRequirements,
  headerBreak: string,
): Table | undefined {
  const inner = countHeaderRows(run, columns, attached.lines.length > 0);
  const lines = [...attached.lines, ...run.slice(0, inner)].map(({ segments }) => segments);
  const read = buildHeaderRows(lines, columns, rules, headerBreak);
  const isAttached = attached.lines.length > 0;
  // Header lines that contradict one another stay where they are.
  if (!read && isAttached) return undefined;
  const header = read ?? [];
  const body = read ? run.slice(inner) : run;
  const multiLineRows = body.length > 1 ? splitRowsAtGaps(body, columns) : undefined;
  const bodyRows = multiLineRows
    ? buildMultiLineRows(run, multiLineRows, columns, demands)
    : buildRows(run, body, columns, rules, demands);
  if (!bodyRows) return undefined;
  const title = attached.section
    ? [[attached.section.segments[0]!.text, ...columns.slice(1).map(() => '')]]
    : [];
  const rows = header.length > 0 ? [...header, ...title, ...bodyRows] : joinHeader(bodyRows, headerBreak);
  const parts = [...attached.lines, ...run, ...(attached.section ? [attached.section] : [])];
  return { ...union(parts.map(({ rect }) => rect)), rows };
}

/**
 * Counts the leading rows of a run that are headers: rows with a piece above several columns, and the row of
 * column headers below them.
 */
function countHeaderRows(run: readonly GridRow[], columns: readonly Rect[], hasLinesAbove: boolean): number {
  let count = 0;
  for (const [at, row] of run.slice(0, MAX_SPANNING_ROWS).entries()) {
    if (!isHeaderLike(row)) break;
    if (row.segments.some((segment) => isSpanning(segment, columns))) count = at + 1;
  }
  if (count === 0 && !hasLinesAbove) return 0;
  const limit = Math.min(count + MAX_SPANNING_ROWS, run.length - 1);
  while (count < limit && isColumnHeader(run[count]!, columns, run.slice(count + 1))) {
    const hasLabel = overlapX(run[count]!.segments[0]!, columns[0]!) > 0;
    count++;
    if (hasLabel) break;
  }
  return count;
}

function isSpanning(segment: Line, columns: readonly Rect[]): boolean {
  const { from, to } = findOverlappedSpan(segment, columns);
  return to > from;
}

/** Returns whether a row below common headers names single columns. Rows of text need another sign than words. */
function isColumnHeader(row: GridRow, columns: readonly Rect[], below: readonly GridRow[]): boolean {
  if (!isHeaderLike(row)) return false;
  const hasLabel = overlapX(row.segments[0]!, columns[0]!) > 0;
  const hasAmounts = below.some(({ segments }) => segments.some(({ text }) => isAmount(text)));
  const isBold = row.segments.every(isBoldLine);
  return !hasLabel || isBold || (hasAmounts && row.segments.length > 1);
}

const isBoldLine = ({ words }: Line) => words.every(({ style }) => style.bold);

function buildRows(
  run: readonly GridRow[],
  body: readonly GridRow[],
  columns: readonly Rect[],
  rules: readonly Rect[],
  demands: TableRequirements,
): string[][] | undefined {
  const full = run.filter((row) => row.segments.length > 1);
  const few = columns.length > 2 && (fillsEveryColumn(run, columns) || isRuled(run, rules));
  if (columns.length < 2 || full.length < (few ? 2 : demands.rows)) return undefined;
  const cells = run.flatMap((row) => row.segments);
  const filled = cells.length / (run.length * columns.length);
  const average = cells.reduce((sum, cell) => sum + countWords(cell), 0) / cells.length;
  if (filled < demands.filled || average > demands.wordsPerCell) return undefined;
  if (columns.length === 2) {
    // Numbered and bulleted lists are also aligned in two columns.
    const left = cells.filter((cell) => overlapX(columns[0]!, cell) > 0);
    const marks = left.filter((cell) =>
      /^(?:[^\p{L}\p{N}]|\(?(?:\d{1,3}|[a-z]|[ivx]+)[.)])$/u.test(cell.text),
    ).length;
    if (marks > left.length / 2) return undefined;
  }
  return joinContinuedRows(body, columns);
}

/** Returns the texts of rows by column. A row with one piece continues a cell of the row before or after it. */
function joinContinuedRows(body: readonly GridRow[], columns: readonly Rect[]): string[][] {
  const rows: string[][] = [];
  let pending: string[] | undefined;
  for (const [at, row] of body.entries()) {
    const texts = splitIntoCells(row, columns);
    const isSingle = row.segments.length === 1;
    const isTitle = isSingle && texts[0]!.endsWith(':') && !pending;
    if (isTitle) rows.push(texts);
    else if (isSingle && (rows.length === 0 || pending || belongsBelow(body, at, columns))) {
      pending = pending ? joinCells(pending, texts) : texts;
    } else if (isSingle) rows[rows.length - 1] = joinCells(rows.at(-1)!, texts);
    else {
      rows.push(pending ? joinCells(pending, texts) : texts);
      pending = undefined;
    }
  }
  if (pending) rows.push(pending);
  return rows;
}

const joinCells = (above: readonly string[], below: readonly string[]) =>
  above.map((text, column) => [text, below[column]].filter(Boolean).join('\n'));

function splitIntoCells(row: GridRow, columns: readonly Rect[]): string[] {
  const cells: string[][] = columns.map(() => []);
  for (const segment of row.segments) cells[findOverlappedSpan(segment, columns).from]!.push(segment.text);
  return cells.map((texts) => texts.join(' '));
}

/** Returns whether a line of a row label is nearer to the row below it than to the row above it. */
function belongsBelow(body: readonly GridRow[], at: number, columns: readonly Rect[]): boolean {
  const row = body[at]!;
  const [above, below] = [body[at - 1], body[at + 1]];
  if (!above || !below || below.segments.length < 2) return false;
  const isLabel = (piece: Rect) => overlapX(piece, columns[0]!) > 0;
  if (!isLabel(row.segments[0]!) || !isLabel(below.segments[0]!)) return false;
  const size = row.segments[0]!.size;
  return below.rect.y0 - row.rect.y1 < row.rect.y0 - above.rect.y1 - MIN_GAP_DIFFERENCE * size;
}

/**
 * Builds the cells of rows that have several lines and are separated by white space. Returns `undefined` if the rows
 * do not meet the requirements.
 */
function buildMultiLineRows(
  run: readonly GridRow[],
  multiLineRows: readonly (readonly Line[])[],
  columns: readonly Rect[],
  demands: TableRequirements,
): string[][] | undefined {
  const rows = multiLineRows.map((row) => buildRowCells(row, columns));
  const filled = rows.flat().filter((text) => text !== '').length;
  const count = run.reduce(
    (sum, row) => sum + row.segments.reduce((words, each) => words + countWords(each), 0),
    0,
  );
  if (rows.length < demands.rows || columns.length < 3 || filled < 0.6 * rows.length * columns.length)
    return undefined;
  if (count > 3 * demands.wordsPerCell * filled) return undefined;
  return rows;
}

/** Joins column headers that span two lines and were read as two rows. */
function joinHeader(rows: string[][], headerBreak: string): string[][] {
  const [first, second, ...rest] = rows;
  if (!first || !second || rest.length === 0) return rows;
  const filled = (row: string[]) => row.filter((text) => text !== '').length;
  const continues = second.every((text, column) => text === '' || (first[column] !== '' && !isNumeric(text)));
  const typical = rest.map(filled).toSorted((a, b) => a - b)[rest.length >> 1]!;
  if (!continues || filled(second) >= typical || first.some(isNumeric)) return rows;
  return [first.map((text, column) => [text, second[column]].filter(Boolean).join(headerBreak)), ...rest];
}
