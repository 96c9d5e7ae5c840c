import { ParseError } from '#src/documents/errors.ts';

/** Cells of a sheet by row number. Each row is a sparse list of texts by column. */
export type SparseRows = ReadonlyMap<number, readonly (string | undefined)[]>;

/** Numbers of the rows and columns that a rectangular region of a sheet covers. */
export interface Region {
  rows: number[];
  columns: number[];
}

/** Columns that contain text, by row and in ascending order. */
type FilledColumns = ReadonlyMap<number, readonly number[]>;

/** Maximum number of cells in all detected tables of a sheet, including empty cells. */
const MAX_REGION_CELLS = 300_000;

/** Groups consecutive numbers. For example, [1, 2, 5] becomes [[1, 2], [5]]. */
function groupConsecutive(numbers: number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const last = runs[runs.length - 1];
    if (last && last[last.length - 1] === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs;
}

/**
 * Lists the filled columns of each row. Empty columns are not visited, because the only cell of a row may be
 * in column 16,384.
 */
function listFilledColumns(cells: SparseRows): FilledColumns {
  return new Map(
    [...cells].map(([row, line]) => [
      row,
      Object.keys(line)
        .map(Number)
        .filter((column) => line[column]),
    ]),
  );
}

/** Yields the filled columns of a row from `first` to `last`. */
function* iterateColumnsWithin(columns: readonly number[] | undefined, first: number, last: number) {
  if (!columns) return;
  let [low, high] = [0, columns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns[middle]! < first) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < columns.length && columns[at]! <= last; at++) yield columns[at]!;
}

function listUsedColumns(
  filled: FilledColumns,
  rows: readonly number[],
  first = 0,
  last = Infinity,
): number[] {
  const used = new Set<number>();
  for (const row of rows) {
    for (const column of iterateColumnsWithin(filled.get(row), first, last)) used.add(column);
  }
  return [...used].sort((a, b) => a - b);
}

/** Returns, for each group of columns, the rows that have a text in the group. */
function listUsedRows(filled: FilledColumns, rows: readonly number[], runs: readonly number[][]): number[][] {
  const runByColumn = new Map(
    runs.flatMap((columns, run) => columns.map((column) => [column, run] as const)),
  );
  const used: number[][] = runs.map(() => []);
  const first = runs[0]?.[0] ?? 0;
  const last = runs.at(-1)?.at(-1) ?? 0;
  for (const row of rows) {
    for (const column of iterateColumnsWithin(filled.get(row), first, last)) {
      const found = used[runByColumn.get(column) ?? -1];
      if (found && found.at(-1) !== row) found.push(row);
    }
  }
  return used;
}

/** Splits a region of a sheet at its empty columns and rows, until no part contains any. */
function splitRegion(filled: FilledColumns, { rows, columns }: Region, depth: number): Region[] {
  const runs = groupConsecutive(listUsedColumns(filled, rows, columns[0], columns.at(-1)));
  const used = listUsedRows(filled, rows, runs);
  const parts = runs.flatMap((some, run) =>
    groupConsecutive(used[run]!).map((each) => ({ rows: each, columns: some })),
  );
  if (parts.length <= 1 || depth > 8) return parts;
  return parts.flatMap((part) => splitRegion(filled, part, depth + 1));
}

/** Joins a header row with the table below it if one empty row separates them. */
function joinHeaders(filled: FilledColumns, blocks: number[][]): number[][] {
  const joined: number[][] = [];
  for (const block of blocks) {
    const last = joined[joined.length - 1];
    const header = last?.length === 1 ? listUsedColumns(filled, last) : [];
    const isNext = last !== undefined && block[0] === last[0]! + 2;
    const alike = isNext && header.length > 1 && header.join() === listUsedColumns(filled, block).join();
    if (last && alike) joined[joined.length - 1] = last.concat(block);
    else joined.push(block);
  }
  return joined;
}

/**
 * Returns the tables of a sheet from top to bottom. `divide` is 'never' for a single table, 'rows' to split
 * at empty rows, or 'cells' to split at empty rows and columns. With 'rows', a label and its values stay
 * together even if an empty column separates them. Throws ParseError DOCUMENT_TOO_LARGE if the tables have
 * too many cells.
 */
export function findSheetRegions(cells: SparseRows, divide: 'never' | 'rows' | 'cells'): Region[] {
  const rows = [...cells.keys()].sort((a, b) => a - b);
  if (rows.length === 0) return [];
  const filled = listFilledColumns(cells);
  const blocks =
    divide === 'never'
      ? [rows]
      : divide === 'rows'
        ? joinHeaders(filled, groupConsecutive(rows))
        : groupConsecutive(rows);
  const ranges = blocks.flatMap((block) => {
    const range = { rows: block, columns: listUsedColumns(filled, block) };
    return divide === 'cells' ? splitRegion(filled, range, 0) : [range];
  });
  const places = ranges.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0);
  if (places > MAX_REGION_CELLS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The tables of one sheet have ${places} cells, including empty ones. The limit is ${MAX_REGION_CELLS}.`,
    );
  }
  return ranges;
}
