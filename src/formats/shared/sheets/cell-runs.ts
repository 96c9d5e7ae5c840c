import type { Run } from '../flow/runs.ts';

/** Runs of cells whose text has several styles, by row and column. */
export type CellRuns = Map<number, Map<number, Run[]>>;

export function addCellRuns(cells: CellRuns, row: number, column: number, runs: Run[]): void {
  const columns = cells.get(row) ?? new Map<number, Run[]>();
  columns.set(column, runs);
  cells.set(row, columns);
}
