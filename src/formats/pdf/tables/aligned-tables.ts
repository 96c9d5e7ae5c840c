import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import { isHorizontal, overlapX, union } from '../geometry.ts';
import type { BlockContext } from '../text/blocks.ts';
import { groupByRow, type Line } from '../text/lines.ts';
import { buildAlignedTable, countWords, MAX_SPANNING_ROWS, type TableRequirements } from './aligned-grid.ts';
import { type AttachedHeader, collectHeaderLines, isHeaderLike } from './attached-headers.ts';
import { findColumnRanges, type GridRow, hasAmounts, mergeColumns, splitAtColumns } from './column-ranges.ts';
import { joinAmountSigns } from './signs.ts';
import type { Table } from './tables.ts';

/**
 * Maximum gap between lines of one cell, in letter heights. MAX_CLOSE_LINES is the maximum number of such
 * lines.
 */
const MAX_LINE_GAP = 0.5;
const MAX_CLOSE_LINES = 8;

const MAX_WORDS_PER_CELL = 5;
/** Maximum number of horizontal rules of a page that are searched. Drawings have more. */
const MAX_RULES = 4_000;
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
  const rows: GridRow[] = groupByRow(segments)
    .map((row) => ({ segments: joinAmountSigns(row), rect: union(row) }))
    .sort((a, b) => a.rect.y1 - b.rect.y1);
  const across = rules.filter(isHorizontal);
  const lines = across.length > MAX_RULES ? [] : across;
  const found: FoundTable[] = [];
  let at = 0;
  while (at < rows.length) {
    const read = (run: readonly GridRow[]) =>
      run.length >= 2 && !isSentenceContinued(findLineAbove(rows, at), run[0])
        ? readRun(rows, at, run, lines, requirements, headerBreak, found.at(-1))
        : undefined;
    const run = takeRun(rows, at, true);
    const next = read(run.rows) ?? (run.hasCommonHeader ? read(takeRun(rows, at, false).rows) : undefined);
    if (next) {
      if (next.start < (found.at(-1)?.end ?? 0)) found.pop();
      found.push(next);
      at = next.end;
    } else at += 1;
  }
  return found.map(({ table, start, end }) => ({
    table,
    used: new Set(rows.slice(start, end).map((row) => row.segments[0]!.row)),
  }));
}

const NO_HEADER: AttachedHeader = { lines: [], section: undefined, count: 0 };

/** Table that was built from the rows from `start` to `end`, without the latter. */
interface FoundTable {
  table: Table;
  start: number;
  end: number;
}

/**
 * Builds a table from a run of rows and the header lines above it. Header lines may have been read as a table
 * of their own, `before`, which then ends inside the new table.
 */
function readRun(
  rows: readonly GridRow[],
  at: number,
  run: readonly GridRow[],
  rules: readonly Rect[],
  requirements: TableRequirements,
  headerBreak: string,
  before: FoundTable | undefined,
): FoundTable | undefined {
  const least = before
    ? rows.slice(before.start, before.end).every(isHeaderLike)
      ? before.start
      : before.end
    : 0;
  const read = (columns: readonly Rect[]): FoundTable | undefined => {
    if (columns.length < 2) return undefined;
    const split = run.map((row) => ({ ...row, segments: splitAtColumns(row.segments, columns) }));
    const header = collectHeaderLines(rows, { at, least, count: run.length }, columns, rules);
    const start = at - header.count;
    // A table that loses only a part of its rows is no header.
    const usable = before && start < before.end && start > before.start ? NO_HEADER : header;
    const build = (attached: AttachedHeader): FoundTable | undefined => {
      const table = buildAlignedTable(split, columns, attached, rules, requirements, headerBreak);
      return table && { table, start: at - attached.count, end: at + run.length };
    };
    return build(usable) ?? (usable.count > 0 ? build(NO_HEADER) : undefined);
  };
  const voted = findColumnRanges(run);
  const all = mergeColumns(
    [],
    run.flatMap((row) => row.segments),
  );
  return read(voted) ?? (all.length < voted.length ? read(all) : undefined);
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

/** Returns whether one of the rows at and below `at` has several amounts, as tables with common headers have. */
const precedesAmounts = (rows: readonly GridRow[], at: number) =>
  rows.slice(at, at + MAX_SPANNING_ROWS).some(hasAmounts);

interface Run {
  rows: GridRow[];
  /** True if the first rows have pieces above several columns of the following rows. */
  hasCommonHeader: boolean;
}

/**
 * Returns consecutive rows from `start` that fit the same columns. With `allowHeader`, pieces of the first rows
 * may stand above several columns.
 */
function takeRun(rows: readonly GridRow[], start: number, allowHeader: boolean): Run {
  let hasCommonHeader = false;
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
    let merged = mergeColumns(columns, row.segments);
    const isSplit = merged.length < row.segments.length && row.segments.length > columns.length;
    // Headers above several columns do not merge the columns of the rows below them.
    const isBelowHeader = allowHeader && isSplit && run.length > 0 && run.length <= MAX_SPANNING_ROWS;
    if (isBelowHeader && run.every(isHeaderLike) && precedesAmounts(rows, index)) {
      merged = mergeColumns([], row.segments);
      hasCommonHeader = true;
    } else if (run.length > 0 && merged.length < Math.max(2, columns.length - (columns.length > 3 ? 1 : 0)))
      break;
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
  while (run.length > 0 && isSentenceContinued(run.at(-1), rows[start + run.length])) run.pop();
  return { rows: run, hasCommonHeader };
}
