import type { GridCell } from '../shared/flow/grid.ts';
import type { Rendered } from '../shared/flow/runs.ts';

type Render = (text: string) => Rendered;

/** Placeholder for the second column that a wide character takes. */
const FILLER = '\ue012';
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
/** Maximum number of grid positions of a table. */
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

/** Reads a table whose cells are drawn with `+`, `-` and `|`. Returns `undefined` if the drawing is too large. */
export function readGridTable(source: readonly string[], render: Render): GridCell[][] | undefined {
  const lines = source.map(widen);
  const xs = [...new Set(lines.flatMap((line) => [...line.matchAll(/\+/g)].map(({ index }) => index)))];
  const columns = xs
    .filter((x) => lines.some((line) => line[x] === '+' && (isBorder(line[x + 1]) || isBorder(line[x - 1]))))
    .toSorted((a, b) => a - b);
  const borders = lines.flatMap((line, y) => (/\+[-=]+\+/.test(line) ? [y] : []));
  if (columns.length * borders.length > MAX_POSITIONS) return undefined;
  const hasTop = (row: number, column: number) => isBorder(lines[borders[row]!]![columns[column]! + 1]);
  const hasLeft = (row: number, column: number) =>
    /[|+]/.test(lines[borders[row]! + 1]?.[columns[column]!] ?? '');
  const covered = new Set<number>();
  const rows: GridCell[][] = [];
  for (let row = 0; row + 1 < borders.length; row++) {
    const cells: GridCell[] = [];
    for (let column = 0; column + 1 < columns.length; column++) {
      if (covered.has(row * columns.length + column)) continue;
      let right = column + 1;
      while (right + 1 < columns.length && !hasLeft(row, right)) right++;
      let bottom = row + 1;
      while (bottom + 1 < borders.length && !hasTop(bottom, column)) bottom++;
      for (let y = row; y < bottom; y++)
        for (let x = column; x < right; x++) covered.add(y * columns.length + x);
      const text = lines
        .slice(borders[row]! + 1, borders[bottom])
        .map((line) => line.slice(columns[column]! + 1, columns[right]));
      cells.push({ ...render(joinCellLines(text)), columnSpan: right - column, rowSpan: bottom - row });
    }
    rows.push(cells);
  }
  return rows;
}

/** Reads a table whose columns are marked by borders of `=`. */
export function readSimpleTable(source: readonly string[], render: Render): GridCell[][] {
  const lines = source.map(widen);
  const starts = [...(lines[0] ?? '').matchAll(/=+/g)].map(({ index }) => index);
  const rows: { lines: string[]; columnSpan: number }[][] = [];
  let isNew = true;
  for (const line of lines) {
    if (/^[=-][=\- ]*$/.test(line)) isNew = true;
    else if (line.trim() === '') isNew = true;
    else {
      const cells = splitColumns(line, starts);
      const last = rows.at(-1);
      // A line without text in the first column continues the row above.
      const continues = last && cells[0]!.lines[0]!.trim() === '' && (!isNew || last.length === cells.length);
      if (continues) for (const [index, cell] of cells.entries()) last[index]?.lines.push(cell.lines[0]!);
      else rows.push(cells);
      isNew = false;
    }
  }
  return rows.map((row) =>
    row.map((cell) => ({ ...render(joinCellLines(cell.lines)), columnSpan: cell.columnSpan })),
  );
}

/** Splits a line at the columns of a table. Text that crosses the gap between columns belongs to both. */
function splitColumns(line: string, starts: readonly number[]): { lines: string[]; columnSpan: number }[] {
  const cells: { lines: string[]; columnSpan: number }[] = [];
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
