/**
 * Matches the beginning of a delimiter row such as `|---|`, which follows a table's header row in GitHub
 * Flavored Markdown.
 */

const DELIMITER_START = /^[ \t]*[|:-]/;
const DELIMITER_CELL = /^:?-+:?$/;

/** Returns the number of columns in a delimiter row such as `|---|:-:|`, or 0 for other lines. */
export function countDelimiterColumns(line: string): number {
  if (!DELIMITER_START.test(line)) return 0;
  const cells = line.split('|').map((cell) => cell.trim());
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.every((cell) => DELIMITER_CELL.test(cell)) ? cells.length : 0;
}

/**
 * Returns the cells of a table row without surrounding spaces. An escaped pipe (`\|`) does not end a cell.
 */
export function splitRowCells(row: string): string[] {
  const line = row.trim();
  const cells: string[] = [];
  let cell = '';
  let from = 0;
  for (let at = line.indexOf('|'); at !== -1; at = line.indexOf('|', at + 1)) {
    if (line[at - 1] === '\\') {
      cell += line.slice(from, at - 1);
      from = at;
      continue;
    }
    cells.push(cell + line.slice(from, at));
    cell = '';
    from = at + 1;
  }
  cells.push(cell + line.slice(from));
  if (cells.length > 1 && cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells.map((one) => one.trim());
}
