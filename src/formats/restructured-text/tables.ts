import type { GridCell } from '../shared/flow/grid.ts';
import type { Rendered } from '../shared/flow/runs.ts';

type Render = (text: string) => Rendered;

/** Cell of a table whose columns are marked by borders of `=`. */
interface SimpleCell {
  lines: string[];
  columnSpan: number;
}

/** Placeholder for the second column that a wide character takes. */
const FILLER = '\ue012';
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
/** Maximum number of lines of a table multiplied by its columns. Larger tables are not read as tables. */
const MAX_POSITIONS = 300_000;

const widen = (line: string) => line.replace(WIDE, `$&${FILLER}`);

/** Joins the lines of a cell. Blank lines and list marks begin a line. */
function joinCellLines(lines: readonly string[]): string {
  let text = '';
  let isBreak = false;
  for (const line of lines) {
    const part = line.replaceAll(FILLER, '').trim();
    if (part === '') isBreak = text !== '';
    else {
      const separator = isBreak || /^(?:[-*+•]|\d{1,3}[.)]) /.test(part) ? '\n' : ' ';
      text += (text === '' ? '' : separator) + part;
      isBreak = false;
    }
  }
  return text;
}

const isBorder = (character: string | undefined) =>
  character === '-' || character === '=' || character === '+';

/** Returns the positions of the column borders of a table, from left to right. */
function findColumns(lines: readonly string[]): number[] {
  const columns = new Set<number>();
  for (const line of lines) {
    for (const { index } of line.matchAll(/\+/g))
      if (isBorder(line[index + 1]) || isBorder(line[index - 1])) columns.add(index);
  }
  return [...columns].toSorted((a, b) => a - b);
}

/** Returns whether a character may stand at the border of a column. Other characters are text of a bad drawing. */
const canBeBorder = (character: string | undefined) => character === undefined || /[-=+|\s]/.test(character);

/**
 * Reads a table whose cells are drawn with `+`, `-` and `|`. Returns `undefined` if the drawing is too large, has
 * no last border, or has text on the border of a cell.
 */
export function readGridTable(source: readonly string[], render: Render): GridCell[][] | undefined {
  const lines = source.map(widen);
  const columns = findColumns(lines);
  const borders = lines.flatMap((line, y) => (/\+[-=]+\+/.test(line) ? [y] : []));
  if (columns.length * lines.length > MAX_POSITIONS) return undefined;
  const width = (columns.at(-1) ?? 0) + 1;
  if (borders.at(-1) !== lines.length - 1 || lines.some((line) => line.trimEnd().length > width))
    return undefined;
  const hasTop = (row: number, column: number) => isBorder(lines[borders[row]!]![columns[column]! + 1]);
  const hasLeft = (row: number, column: number) =>
    /[|+]/.test(lines[borders[row]! + 1]?.[columns[column]!] ?? '');
  const covered = new Set<number>();
  const isCovered = (row: number, column: number) => covered.has(row * columns.length + column);
  const rows: GridCell[][] = [];
  for (let row = 0; row + 1 < borders.length; row++) {
    const cells: GridCell[] = [];
    for (let column = 0; column + 1 < columns.length; column++) {
      if (isCovered(row, column)) continue;
      let right = column + 1;
      while (right + 1 < columns.length && !hasLeft(row, right) && !isCovered(row, right)) right++;
      let bottom = row + 1;
      while (bottom + 1 < borders.length && !hasTop(bottom, column)) bottom++;
      for (let y = row; y < bottom; y++)
        for (let x = column; x < right; x++) covered.add(y * columns.length + x);
      const inside = lines.slice(borders[row]! + 1, borders[bottom]);
      if (!inside.every((line) => canBeBorder(line[columns[column]!]) && canBeBorder(line[columns[right]!])))
        return undefined;
      const text = inside.map((line) => line.slice(columns[column]! + 1, columns[right]));
      cells.push({ ...render(joinCellLines(text)), columnSpan: right - column, rowSpan: bottom - row });
    }
    rows.push(cells);
  }
  return rows;
}

/** Reads a table whose columns are marked by borders of `=`. Returns `undefined` if the table is too large. */
export function readSimpleTable(source: readonly string[], render: Render): GridCell[][] | undefined {
  const lines = source.map(widen);
  const starts = [...(lines[0] ?? '').matchAll(/=+/g)].map(({ index }) => index);
  if (starts.length * lines.length > MAX_POSITIONS) return undefined;
  const rows: SimpleCell[][] = [];
  let isNew = true;
  for (const line of lines) {
    if (/^[=-][=\- ]*$/.test(line)) isNew = true;
    else if (line.trim() === '') isNew = true;
    else {
      const cells = splitColumns(line, starts);
      const last = rows.at(-1);
      // A line without text in the first column continues the row above.
      const continues = last && cells[0]!.lines[0]!.trim() === '' && (!isNew || last.length === cells.length);
      if (continues) addLine(last, cells);
      else rows.push(cells);
      isNew = false;
    }
  }
  return rows.map((row) =>
    row.map((cell) => {
      const text = joinCellLines(cell.lines);
      // A backslash alone stands for an empty cell.
      return { ...render(text === '\\' ? '' : text), columnSpan: cell.columnSpan };
    }),
  );
}

/** Adds a line to a row. Text right of the row's last cell belongs to that cell. */
function addLine(row: readonly SimpleCell[], line: readonly SimpleCell[]): void {
  row.forEach((cell, index) => {
    const parts = line.slice(index, index + 1 < row.length ? index + 1 : undefined);
    cell.lines.push(parts.map(({ lines }) => lines[0]).join(' '));
  });
}

/** Splits a line at the columns of a table. Text that crosses the gap between columns belongs to both. */
function splitColumns(line: string, starts: readonly number[]): SimpleCell[] {
  const cells: SimpleCell[] = [];
  for (let column = 0; column < starts.length; ) {
    let next = column + 1;
    while (next < starts.length && (line[starts[next]! - 1] ?? ' ') !== ' ') next++;
    cells.push({ lines: [line.slice(starts[column], starts[next])], columnSpan: next - column });
    column = next;
  }
  return cells;
}

/** Reads the rows of a table that is written as a list of lists. */
export function readListTable(lines: readonly string[], render: Render): GridCell[][] {
  const rows: string[][][] = [];
  for (const line of lines) {
    const row = /^[*-] +[*-](?: (.*))?$/.exec(line);
    const cell = row ?? /^ +[*-](?: (.*))?$/.exec(line);
    const isNested = !row && rows.length > 0 && /^ {4,}/.test(line) && !/^ {0,3}[*-]/.test(line);
    if (row) rows.push([[row[1] ?? '']]);
    else if (cell && !isNested) rows.at(-1)?.push([cell[1] ?? '']);
    else rows.at(-1)?.at(-1)?.push(line);
  }
  return rows.map((row) => row.map((cell) => render(joinCellLines(cell))));
}
