import { ParseError } from '#src/documents/errors.ts';

/** Sheet cells as rows by number, each a sparse list of texts by column. */
export type SparseRows = ReadonlyMap<number, readonly (string | undefined)[]>;

/** Rows and columns of a sheet, by number. */
export interface Region {
  rows: number[];
  columns: number[];
}

/** By row, the columns that have a text, in ascending order. */
type FilledColumns = ReadonlyMap<number, readonly number[]>;

/** Places of all tables of a sheet, empty ones included. */
const MAX_PLACES = 300_000;

/** Runs of neighbouring numbers: [1, 2, 5] is [[1, 2], [5]]. */
function runsOf(numbers: number[]): number[][] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const last = runs[runs.length - 1];
    if (last && last[last.length - 1] === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs;
}

/** Lists the filled columns of each row. Rows may have one cell in column 16,384: holes are not visited. */
function filledColumns(cells: SparseRows): FilledColumns {
  return new Map(
    [...cells].map(([row, line]) => [
      row,
      Object.keys(line)
        .map(Number)
        .filter((column) => line[column]),
    ]),
  );
}

/** The filled columns of a row from `first` to `last`. */
function* columnsWithin(columns: readonly number[] | undefined, first: number, last: number) {
  if (!columns) return;
  let [low, high] = [0, columns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns[middle]! < first) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < columns.length && columns[at]! <= last; at++) yield columns[at]!;
}

function usedColumns(filled: FilledColumns, rows: readonly number[], first = 0, last = Infinity): number[] {
  const used = new Set<number>();
  for (const row of rows) {
    for (const column of columnsWithin(filled.get(row), first, last)) used.add(column);
  }
  return [...used].sort((a, b) => a - b);
}

/** For each of the runs of columns, the rows that have a text in it. */
function usedRows(filled: FilledColumns, rows: readonly number[], runs: readonly number[][]): number[][] {
  const runOf = new Map(runs.flatMap((columns, run) => columns.map((column) => [column, run] as const)));
  const used: number[][] = runs.map(() => []);
  const first = runs[0]?.[0] ?? 0;
  const last = runs.at(-1)?.at(-1) ?? 0;
  for (const row of rows) {
    for (const column of columnsWithin(filled.get(row), first, last)) {
      const found = used[runOf.get(column) ?? -1];
      if (found && found.at(-1) !== row) found.push(row);
    }
  }
  return used;
}

/** Cuts a range at its empty columns and rows until none is left. */
function split(filled: FilledColumns, { rows, columns }: Region, depth: number): Region[] {
  const runs = runsOf(usedColumns(filled, rows, columns[0], columns.at(-1)));
  const used = usedRows(filled, rows, runs);
  const parts = runs.flatMap((some, run) =>
    runsOf(used[run]!).map((each) => ({ rows: each, columns: some })),
  );
  if (parts.length <= 1 || depth > 8) return parts;
  return parts.flatMap((part) => split(filled, part, depth + 1));
}

/** A header that one empty row parts from its table goes with it. */
function joinHeaders(filled: FilledColumns, blocks: number[][]): number[][] {
  const joined: number[][] = [];
  for (const block of blocks) {
    const last = joined[joined.length - 1];
    const header = last?.length === 1 ? usedColumns(filled, last) : [];
    const isNext = last !== undefined && block[0] === last[0]! + 2;
    const alike = isNext && header.length > 1 && header.join() === usedColumns(filled, block).join();
    if (last && alike) joined[joined.length - 1] = last.concat(block);
    else joined.push(block);
  }
  return joined;
}

/**
 * The tables of a sheet, top to bottom: 'never' is everything as one, 'rows' cuts at empty rows (so that an
 * empty spacer column does not part a row from its label), 'cells' cuts at empty rows and columns. Throws ParseError
 * DOCUMENT_TOO_LARGE if the tables have too many places.
 */
export function sheetRegions(cells: SparseRows, divide: 'never' | 'rows' | 'cells'): Region[] {
  const rows = [...cells.keys()].sort((a, b) => a - b);
  if (rows.length === 0) return [];
  const filled = filledColumns(cells);
  const blocks =
    divide === 'never' ? [rows] : divide === 'rows' ? joinHeaders(filled, runsOf(rows)) : runsOf(rows);
  const ranges = blocks.flatMap((block) => {
    const range = { rows: block, columns: usedColumns(filled, block) };
    return divide === 'cells' ? split(filled, range, 0) : [range];
  });
  const places = ranges.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0);
  if (places > MAX_PLACES) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The tables of one sheet have ${places} places, empty ones included; the limit is ${MAX_PLACES}.`,
    );
  }
  return ranges;
}
