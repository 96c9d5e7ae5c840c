import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import type { Item } from '../columns.ts';

/** Cell of the review. */
export interface CellPosition {
  /** Index of the row when the cell was selected. Used while the file of the row is not known. */
  row: number;
  /** Job of the file. `undefined` while the row is loading. */
  jobId: string | undefined;
  /** Index of the column, counted from 0. -1 is the name of the file. */
  column: number;
}

/** Value that is being edited. */
export interface EditedValue {
  /** The file as it was when the editor was opened. */
  item: Item;
  column: number;
}

export const FIRST_CELL: CellPosition = { row: 0, jobId: undefined, column: -1 };

/**
 * Returns the current index of a cell's row. The file can have moved since the cell was selected. If the list no
 * longer has the file, the nearest existing row is returned.
 */
export function findRow(rows: readonly Item[], total: number, { row, jobId }: CellPosition): number {
  const at = jobId === undefined ? -1 : rows.findIndex(({ job_id }) => job_id === jobId);
  return at >= 0 ? at : Math.max(0, Math.min(row, total - 1));
}

/**
 * Extracts the range of rows or columns that are rendered. Those at the indexes `kept` are always rendered,
 * because their focus or their editor would be lost otherwise.
 */
export function extractRange(range: Range, kept: readonly number[]): number[] {
  const near = defaultRangeExtractor(range);
  const far = kept.filter((at) => at >= 0 && at < range.count && !near.includes(at));
  return far.length > 0 ? [...new Set([...near, ...far])].sort((one, other) => one - other) : near;
}
