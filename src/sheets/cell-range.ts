/** Rectangle of cells. Rows and columns are counted from 0, and `bottom` and `right` are inclusive. */
export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

/** Returns the letters of a column, such as `AB` for 27. */
export function formatColumn(column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return letters;
}

export const formatCell = (row: number, column: number): string => `${formatColumn(column)}${row + 1}`;

/** Returns a range such as `A1:D20`. The corners are written even for a single cell. */
export const formatRange = ({ top, left, bottom, right }: CellRange): string =>
  `${formatCell(top, left)}:${formatCell(bottom, right)}`;

/** Parses a range such as `A1:D20`, or a single cell. Returns `undefined` if the text is no valid range. */
export function parseRange(text: string): CellRange | undefined {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/i.exec(text.trim());
  if (!match) return undefined;
  const [, firstColumn, firstRow, lastColumn = firstColumn, lastRow = firstRow] = match;
  const columns = [firstColumn!, lastColumn!].map(parseColumn);
  const rows = [firstRow!, lastRow!].map((digits) => Number(digits) - 1);
  const range = {
    top: Math.min(...rows),
    left: Math.min(...columns),
    bottom: Math.max(...rows),
    right: Math.max(...columns),
  };
  const isValid = range.top >= 0 && range.bottom < MAX_ROWS && range.right < MAX_COLUMNS;
  return isValid ? range : undefined;
}

function parseColumn(letters: string): number {
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
