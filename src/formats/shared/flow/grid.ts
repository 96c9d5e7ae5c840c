import { ParseError } from '#src/documents/errors.ts';
import type { Rendered } from './runs.ts';

export interface GridCell extends Rendered {
  columnSpan?: number | undefined;
  rowSpan?: number | undefined;
}

const EMPTY: Rendered = { text: '', markdown: '' };
const MAX_SPAN = 1000;
/** Places that merged cells may cover in all; the spans beyond are taken as single cells. */
const MAX_COVERED = 200_000;

const MAX_TABLE_CELLS = 300_000;

/** Throws ParseError DOCUMENT_TOO_LARGE for a table whose empty places alone would fill the memory. */
export function checkTableSize(rows: number, columns: number): void {
  if (rows * columns > MAX_TABLE_CELLS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The file has a table of ${rows} rows and ${columns} columns.`,
    );
  }
}

const clampSpan = (span: number | undefined) => Math.min(MAX_SPAN, Math.max(1, Math.trunc(span ?? 1) || 1));

/** Cells with spans laid out on a plain grid: a merged cell's content is in its first place. */
export function layOutGrid(rows: readonly (readonly GridCell[])[]): Rendered[][] {
  const grid: Rendered[][] = rows.map(() => []);
  let covered = 0;
  rows.forEach((row, rowIndex) => {
    let column = 0;
    for (const cell of row) {
      while (grid[rowIndex]![column]) column++;
      const tall = Math.min(rows.length - rowIndex, clampSpan(cell.rowSpan));
      const wide = clampSpan(cell.columnSpan);
      const fits = covered + tall * wide <= MAX_COVERED;
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
 * Returns the grid without the rows and columns that are empty throughout, which are spacers of the layout. Throws
 * ParseError DOCUMENT_TOO_LARGE if the rest has too many places.
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
