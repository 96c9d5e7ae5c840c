import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { isHorizontal, overlapX, union } from '../geometry.ts';
import type { BlockContext } from '../text/blocks.ts';
import type { Line } from '../text/lines.ts';
import { buildRowCells, splitRowsAtGaps } from './multi-line-rows.ts';
import type { Table } from './tables.ts';

interface GridRow {
  segments: Line[];
  rect: Rect;
}

/**
 * Maximum gap between lines of one cell, in letter heights. MAX_CLOSE_LINES is the maximum number of such
 * lines.
 */
const MAX_LINE_GAP = 0.5;
const MAX_CLOSE_LINES = 8;

const countWords = (line: Line) => line.words.length;
const MAX_WORDS_PER_CELL = 5;

/** Requirements that rows must meet to count as a table. */
interface TableRequirements {
  /** Minimum number of rows with several pieces, unless rules or full rows also suggest a table. */
  rows: number;
  /** Minimum share of filled cells, from 0 to 1. */
  filled: number;
  wordsPerCell: number;
}

const USUAL: TableRequirements = { rows: 3, filled: 0.45, wordsPerCell: MAX_WORDS_PER_CELL };
const AGGRESSIVE: TableRequirements = { rows: 2, filled: 0.25, wordsPerCell: 3 * MAX_WORDS_PER_CELL };

/**
 * Finds tables without rules, in which pieces of text are aligned with white space between them. `used`
 * contains the row numbers of each table.
 */
export function findAlignedTables(
  segments: readonly Line[],
  rules: readonly Rect[],
  { aggressiveTables, tables }: Pick<BlockContext, 'aggressiveTables' | 'tables'>,
): { table: Table; used: Set<number> }[] {
  const requirements = aggressiveTables ? AGGRESSIVE : USUAL;
  const headerBreak = tables.headerSeparator == null ? ' ' : '\n';
  const byRow = new Map<number, Line[]>();
  for (const segment of segments) {
    const list = byRow.get(segment.row);
    if (list) list.push(segment);
    else byRow.set(segment.row, [segment]);
  }
  const rows: GridRow[] = [...byRow.values()]
    .map((list) => ({ segments: list.toSorted((a, b) => a.x0 - b.x0), rect: union(list) }))
    .sort((a, b) => a.rect.y1 - b.rect.y1);
  const found: { table: Table; used: Set<number> }[] = [];
  let at = 0;
  while (at < rows.length) {
    const run = takeRun(rows, at);
    while (run.length > 0 && isSentenceContinued(run.at(-1), rows[at + run.length])) run.pop();
    const isTable = run.length >= 2 && !isSentenceContinued(findLineAbove(rows, at), run[0]);
    const table = isTable ? toTable(run, rules, requirements, headerBreak) : undefined;
    if (table) {
      found.push({ table, used: new Set(run.map((row) => row.segments[0]!.row)) });
      at += run.length;
    } else at += 1;
  }
  return found;
}

const countRowWords = (row: GridRow) => row.segments.reduce((sum, segment) => sum + countWords(segment), 0);

/**
 * Returns the nearest of the three rows above that has more than one word. Parts of large operators in
 * formulas are separate rows with one word.
 */
const findLineAbove = (rows: readonly GridRow[], at: number) =>
  rows.slice(Math.max(0, at - 3), at).findLast((row) => countRowWords(row) > 1);

/** Returns whether a sentence continues in the next row. Prose with formulas has gaps like a table. */
function isSentenceContinued(row: GridRow | undefined, next: GridRow | undefined): boolean {
  if (!row || !next || next.rect.y0 - row.rect.y1 > next.segments[0]!.size) return false;
  const last = row.segments.at(-1)!;
  const first = next.segments[0]!;
  const isProse = Math.min(countRowWords(row), countRowWords(next)) > MAX_WORDS_PER_CELL;
  const runsOver = Math.abs(row.rect.x0 - next.rect.x0) < 2 * first.size && !/[.!?:;]$/.test(last.text);
  const longest = Math.max(countWords(last), countWords(first));
  return isProse && runsOver && longest > MAX_WORDS_PER_CELL && /^\p{Ll}/u.test(first.text);
}

/** Returns consecutive rows from `start` that fit the same columns. */
function takeRun(rows: readonly GridRow[], start: number): GridRow[] {
  const run: GridRow[] = [];
  let columns: Rect[] = [];
  let pending: GridRow[] = [];
  for (let index = start; index < rows.length; index++) {
    const row = rows[index]!;
    const before = rows[index - 1];
    const size = row.segments[0]!.size;
    if (before && index > start && row.rect.y0 - before.rect.y1 > 2.2 * size) break;
    if (row.segments.length === 1) {
      // A single piece continues a cell if it overlaps only one column. A wider piece ends the table.
      const only = row.segments[0]!;
      const inColumns = columns.filter((column) => overlapX(column, only) > 0).length;
      const near = before !== undefined && row.rect.y0 - before.rect.y1 < MAX_LINE_GAP * size;
      if (run.length === 0 || inColumns !== 1 || pending.length >= (near ? MAX_CLOSE_LINES : 2)) break;
      pending.push(row);
      continue;
    }
    const merged = mergeColumns(columns, row.segments);
    if (run.length > 0 && merged.length < Math.max(2, columns.length - (columns.length > 3 ? 1 : 0))) break;
    columns = merged;
    for (const each of pending) run.push(each);
    run.push(row);
    pending = [];
  }
  // Trailing rows with one piece belong to a cell if they are closer together than the rows of the table.
  const size = run[0]?.segments[0]?.size ?? 0;
  const measureGaps = (some: readonly GridRow[]) =>
    some.slice(1).map((row, at) => row.rect.y0 - some[at]!.rect.y1);
  const isClose = largest(measureGaps([...run.slice(-1), ...pending])) < MAX_LINE_GAP * size;
  if (isClose && largest(measureGaps(run)) > MAX_LINE_GAP * size) for (const each of pending) run.push(each);
  return run;
}

function mergeColumns(columns: readonly Rect[], segments: readonly Rect[]): Rect[] {
  const sorted = [...columns, ...segments].toSorted((a, b) => a.x0 - b.x0);
  const merged: Rect[] = [];
  for (const rect of sorted) {
    const last = merged.at(-1);
    if (last && rect.x0 < last.x1 + 1) merged[merged.length - 1] = union([last, rect]);
    else merged.push({ ...rect });
  }
  return merged;
}

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

function toTable(
  run: readonly GridRow[],
  rules: readonly Rect[],
  demands: TableRequirements,
  headerBreak: string,
): Table | undefined {
  const columns = mergeColumns(
    [],
    run.flatMap((row) => row.segments),
  );
  const multiLineRows = splitRowsAtGaps(run, columns);
  if (multiLineRows) return buildMultiLineTable(run, multiLineRows, columns, demands, headerBreak);
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
  const rows: string[][] = [];
  for (const row of run) {
    const texts = columns.map((column) =>
      row.segments
        .filter((segment) => overlapX(column, segment) > 0)
        .map((segment) => segment.text)
        .join(' '),
    );
    const previous = rows.at(-1);
    if (previous && row.segments.length === 1) {
      const column = texts.findIndex((text) => text !== '');
      previous[column] = [previous[column], texts[column]].filter(Boolean).join('\n');
    } else rows.push(texts);
  }
  return { ...union(cells), rows: joinHeader(rows, headerBreak) };
}

/**
 * Builds a table whose rows have several lines and are separated by white space. Returns `undefined` if it
 * does not meet the requirements.
 */
function buildMultiLineTable(
  run: readonly GridRow[],
  multiLineRows: readonly (readonly Line[])[],
  columns: readonly Rect[],
  demands: TableRequirements,
  headerBreak: string,
): Table | undefined {
  const rows = multiLineRows.map((row) => buildRowCells(row, columns));
  const filled = rows.flat().filter((text) => text !== '').length;
  const count = run.reduce((sum, row) => sum + countRowWords(row), 0);
  if (rows.length < demands.rows || columns.length < 3 || filled < 0.6 * rows.length * columns.length)
    return undefined;
  if (count > 3 * demands.wordsPerCell * filled) return undefined;
  return { ...union(run.map((row) => row.rect)), rows: joinHeader(rows, headerBreak) };
}

const isNumeric = (text: string) => /\d/.test(text) && !/\p{L}/u.test(text);

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
