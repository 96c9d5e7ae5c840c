import type { Fonts } from './fonts.ts';
import { breakLines, type Line, widthOf } from './lines.ts';
import type { Sheet } from './sheet.ts';

const SIZE = 9;
const LINE = SIZE * 1.35;
const PADDING = 3;
const MIN_COLUMN = 12;
const ROWS_MEASURED = 100;
const CHARACTERS_MEASURED = 200;
const HEADER_GREY = 0.94;

/** Columns share the page by what their cells need. */
export function columnWidths(fonts: Fonts, rows: readonly string[][], available: number): number[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const wanted = Array.from({ length: count }, (_, column) => {
    let [longest, needed] = [0, MIN_COLUMN];
    for (const [at, row] of rows.entries()) {
      const cell = (row[column] ?? '').slice(0, CHARACTERS_MEASURED);
      // Of many rows only cells can be wider that have as many characters as any before.
      if (at >= ROWS_MEASURED && cell.length < longest) continue;
      longest = Math.max(longest, cell.length);
      needed = Math.max(needed, widthOf(fonts.set(cell, 'bold'), SIZE));
    }
    return Math.min(available / 2, needed + 2 * PADDING + 1);
  });
  const total = wanted.reduce((sum, width) => sum + width, 0);
  return total <= available ? wanted : wanted.map((width) => (width / total) * available);
}

/** A row of a table that is drawn at once, or piece by piece where it is too high. */
export interface TableRow {
  readonly isDone: boolean;
  /** Of all that is still to be drawn. */
  readonly height: number;
  fits(height: number): boolean;
  /** Draws what fits, a line at least; answers with the height that it took. */
  draw(sheet: Sheet, left: number, top: number, height: number): number;
}

export function setRow(
  fonts: Fonts,
  cells: readonly string[],
  widths: readonly number[],
  isHeader: boolean,
): TableRow {
  const face = isHeader ? 'bold' : 'regular';
  const lines: Line[][] = widths.map((width, column) => [
    ...breakLines(fonts, cells[column] ?? '', face, SIZE, Math.max(SIZE, width - 2 * PADDING)),
  ]);
  const count = lines.reduce((most, cell) => Math.max(most, cell.length), 1);
  let drawn = 0;
  const heightOf = (most: number) => most * LINE + 2 * PADDING;
  return {
    get isDone() {
      return drawn >= count;
    },
    get height() {
      return heightOf(count - drawn);
    },
    fits: (height) => heightOf(count - drawn) <= height,
    draw(sheet, left, top, height) {
      const taken = Math.min(count - drawn, Math.max(1, Math.floor((height - 2 * PADDING) / LINE)));
      let x = left;
      for (const [column, cell] of lines.entries()) {
        const width = widths[column]!;
        if (isHeader) sheet.fill(x, top, width, heightOf(taken), HEADER_GREY);
        sheet.frame(x, top, width, heightOf(taken));
        for (const [at, line] of cell.slice(drawn, drawn + taken).entries()) {
          sheet.text(line, x + PADDING, top + PADDING + (at + 0.8) * LINE, SIZE);
        }
        x += width;
      }
      drawn += taken;
      return heightOf(taken);
    },
  };
}
