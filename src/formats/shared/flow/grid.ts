import { ParseError } from '#src/documents/errors.ts';
import type { Rendered } from './runs.ts';

export interface GridCell extends Rendered {
  columnSpan?: number | undefined;
  rowSpan?: number | undefined;
}

const EMPTY: Rendered = { text: '', markdown: '' };
const MAX_SPAN = 1000;
/**
 * Maximum number of grid positions that merged cells may cover in a table. Spans beyond this limit are read
 * as single cells.
 */
const MAX_MERGED_CELLS = 200_000;

const MAX_TABLE_CELLS = 300_000;

/**
 * Throws ParseError DOCUMENT_TOO_LARGE if the table is so large that even its empty cells would fill the
 * memory.
 */
export function checkTableSize(rows: number, columns: number): void {
  if (rows * columns > MAX_TABLE_CELLS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The file has a table of ${rows} rows and ${columns} columns, which is more than ${MAX_TABLE_CELLS} cells.`,
    );
  }
}

const clampSpan = (span: number | undefined) => Math.min(MAX_SPAN, Math.max(1, Math.trunc(span ?? 1) || 1));

/**
 * Lays out cells with row and column spans on a plain grid. The content of a merged cell goes to its top left
 * position.
 */
export function layOutGrid(rows: readonly (readonly GridCell[])[]): Rendered[][] {
  const grid: Rendered[][] = rows.map(() => []);
  let covered = 0;
  rows.forEach((row, rowIndex) => {
    let column = 0;
    for (const cell of row) {
      while (grid[rowIndex]![column]) column++;
      const tall = Math.min(rows.length - rowIndex, clampSpan(cell.rowSpan));
      const wide = clampSpan(cell.columnSpan);
      const fits = covered + tall * wide <= MAX_MERGED_CELLS;
      if (fits && tall * wide > 1) covered += tall * wide;
      const bottom = rowIndex + (fits ? tall : 1);
      const right = column + (fits ? wide : 1);
      for (let y = rowIndex; y < bottom; y++) {
        for (let x = column; x < right; x++) grid[y]![x] = EMPTY;
      }
      grid[rowIndex]![column] = { text: cell.text, markdown: cell.markdown };
      column = right;
    }
  });
  return dropEmpty(grid);
}

/**
 * Returns the grid without empty rows and columns, which only serve as spacers. Throws ParseError
 * DOCUMENT_TOO_LARGE if the remaining grid is too large.
 */
export function dropEmpty(grid: readonly (readonly (Rendered | undefined)[])[]): Rendered[][] {
  const used = new Set<number>();
  grid.forEach((row) => {
    for (let x = 0; x < row.length; x++) if (row[x] && row[x]!.markdown !== '') used.add(x);
  });
  const columns = [...used].sort((a, b) => a - b);
  const rows = grid.filter((row) => row.some((cell) => cell && cell.markdown !== ''));
  checkTableSize(rows.length, columns.length);
  return rows.map((row) => columns.map((x) => row[x] ?? EMPTY));
}
