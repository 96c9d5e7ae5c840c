/**
 * Separates the header rows of Markdown tables from the rest of a text. A header row names columns and
 * answers nothing by itself, but its words describe the rows below.
 */
export function splitHeaderRows(text: string): { rest: string; headers: string[] } {
  const lines = text.split('\n');
  const headers: string[] = [];
  const rest = lines.filter((line, at) => {
    if (!isRow(line) || !isDelimiterRow(lines[at + 1])) return true;
    if (!isHeader(line, rowsFrom(lines, at + 2))) return true;
    headers.push(line);
    return false;
  });
  return { rest: rest.join('\n'), headers };
}

/**
 * Maximum number of rows below a table header that are examined. These rows represent the whole table well
 * enough.
 */
const MAX_ROWS = 50;

function rowsFrom(lines: readonly string[], start: number): string[] {
  const rows = lines.slice(start, start + MAX_ROWS);
  const end = rows.findIndex((line) => !isRow(line));
  return end < 0 ? rows : rows.slice(0, end);
}

/**
 * Returns whether the first row of a table names its columns. Parsers mark every first row as a header, but a
 * row with a number contains values. With at most two columns, the first row counts as a header only if every
 * other row has a number after its first cell.
 */
function isHeader(first: string, rows: readonly string[]): boolean {
  if (rows.length === 0 || /\d/.test(first)) return false;
  if (splitCells(first).length > 2) return true;
  return rows.every((row) => /\d/.test(splitCells(row).slice(1).join(' ')));
}

const isRow = (line: string | undefined) => line !== undefined && /^\|.*\|$/.test(line.trim());
const isDelimiterRow = (line: string | undefined) =>
  isRow(line) && line!.includes('-') && /^[\s|:-]+$/.test(line!);
const splitCells = (row: string) =>
  row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/);
