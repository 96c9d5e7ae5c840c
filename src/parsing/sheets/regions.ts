import { checkTableSize } from '#src/parsing/flow/grid.ts';

/** Sheet cells as rows by number, each a sparse list of texts by column. */
export type SparseRows = ReadonlyMap<number, readonly (string | undefined)[]>;

/** Rows and columns of a sheet, by number. */
export interface Region {
  rows: number[];
  columns: number[];
}

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

function usedColumns(cells: SparseRows, rows: readonly number[], within?: ReadonlySet<number>): number[] {
  const used = new Set<number>();
  for (const row of rows) {
    cells.get(row)?.forEach((text, column) => {
      if (text && (!within || within.has(column))) used.add(column);
    });
  }
  return [...used].sort((a, b) => a - b);
}

function usedRows(cells: SparseRows, { rows, columns }: Region): number[] {
  return rows.filter((row) => columns.some((column) => cells.get(row)?.[column]));
}

/** Cuts a range at its empty columns and rows until none is left. */
function split(cells: SparseRows, range: Region, depth: number): Region[] {
  const columns = runsOf(usedColumns(cells, range.rows, new Set(range.columns)));
  const parts = columns.flatMap((some) =>
    runsOf(usedRows(cells, { rows: range.rows, columns: some })).map((rows) => ({ rows, columns: some })),
  );
  if (parts.length <= 1 || depth > 8) return parts;
  return parts.flatMap((part) => split(cells, part, depth + 1));
}

/** A header that one empty row parts from its table goes with it. */
function joinHeaders(cells: SparseRows, blocks: number[][]): number[][] {
  const joined: number[][] = [];
  for (const block of blocks) {
    const last = joined[joined.length - 1];
    const header = last?.length === 1 ? usedColumns(cells, last) : [];
    const isNext = last !== undefined && block[0] === last[0]! + 2;
    const alike = header.length > 1 && header.join() === usedColumns(cells, block).join();
    if (last && isNext && alike) joined[joined.length - 1] = last.concat(block);
    else joined.push(block);
  }
  return joined;
}

/**
 * The tables of a sheet, top to bottom: 'whole' is everything as one, 'rows' cuts at empty rows (so that an
 * empty spacer column does not part a row from its label), 'cells' cuts at empty rows and columns.
 */
export function sheetRegions(cells: SparseRows, cut: 'whole' | 'rows' | 'cells'): Region[] {
  const rows = [...cells.keys()].sort((a, b) => a - b);
  if (rows.length === 0) return [];
  const blocks = cut === 'whole' ? [rows] : cut === 'rows' ? joinHeaders(cells, runsOf(rows)) : runsOf(rows);
  const ranges = blocks.flatMap((block) => {
    const range = { rows: block, columns: usedColumns(cells, block) };
    return cut === 'cells' ? split(cells, range, 0) : [range];
  });
  for (const { rows, columns } of ranges) checkTableSize(rows.length, columns.length);
  return ranges;
}
