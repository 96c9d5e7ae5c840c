import { checkTableSize, type GridCell } from '../shared/flow/grid.ts';
import type { Rendered } from '../shared/flow/runs.ts';

interface Cell {
  text: string;
  columnSpan: number;
  rowSpan: number;
  repeat: number;
}

/** Specification before a cell, such as `2.3+^.>s` or `3*`. */
const SPECIFICATION = /(?:^|[ \t])(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?([<^>])?(?:\.([<^>]))?([adehlmsv])?$/;
const MAX_COLUMNS = 500;

/** Takes the specification of the next cell off the end of a text. */
function splitSpecification(text: string): { rest: string; next: Omit<Cell, 'text'> } {
  const tail = text.slice(-20);
  const found = SPECIFICATION.exec(tail);
  const specification = found?.[0].trim() ?? '';
  const rest = text.slice(0, text.length - specification.length);
  // A single letter is the text of a cell that has no other text.
  if (
    !found ||
    specification === '' ||
    (/^[a-z]$/.test(specification) && rest.trim() === '' && rest !== '')
  ) {
    return { rest: text, next: { columnSpan: 1, rowSpan: 1, repeat: 1 } };
  }
  const [, first, second, kind] = found;
  const count = Math.min(MAX_COLUMNS, Number(first ?? 1));
  const next =
    kind === '*'
      ? { columnSpan: 1, rowSpan: 1, repeat: count }
      : { columnSpan: count, rowSpan: Number(second ?? 1), repeat: 1 };
  return { rest, next };
}

/** Splits a line of a table at its separators. The first part belongs to the cell of the line before. */
function splitLine(line: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\' && line[at + 1] === separator) at++;
    else if (line[at] === separator) {
      parts.push(line.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(line.slice(start));
  return parts;
}

/** Returns the number of columns that the attribute `cols` declares, or `undefined`. */
export function countColumns(attribute: string | undefined): number | undefined {
  if (!attribute) return undefined;
  const counts = attribute.split(/[,;]/).map((column) => Number(/^\s*(\d{1,3})\*/.exec(column)?.[1] ?? 1));
  return Math.min(
    MAX_COLUMNS,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/** Reads the cells of a table that are separated by a character. */
function readCells(
  lines: readonly string[],
  separator: string,
  declared: number | undefined,
): { cells: Cell[]; columns: number } {
  const cells: Cell[] = [];
  let columns = declared;
  let next: Omit<Cell, 'text'> = { columnSpan: 1, rowSpan: 1, repeat: 1 };
  for (const line of lines) {
    const parts = splitLine(line, separator);
    const before = cells.length;
    parts.forEach((part, index) => {
      const isLast = index === parts.length - 1;
      const { rest, next: following } = isLast ? { rest: part, next } : splitSpecification(part);
      if (index > 0 || (cells.length === 0 && rest.trim() !== '')) cells.push({ text: rest, ...next });
      else if (rest.trim() !== '') cells.at(-1)!.text += `\n${rest}`;
      if (!isLast) next = following;
    });
    const added = cells.slice(before);
    const width = added.reduce((sum, cell) => sum + cell.columnSpan * cell.repeat, 0);
    columns ??= width > 0 ? width : undefined;
    // Some authors end each row with a separator, which would begin another cell.
    if (width === (columns ?? 0) + 1 && added.at(-1)?.text.trim() === '') cells.pop();
  }
  return { cells, columns: Math.min(MAX_COLUMNS, columns ?? 1) };
}

/** Returns the rows of a table. Cells fill the rows one after the other, as AsciiDoc prescribes. */
export function readTableRows(
  lines: readonly string[],
  separator: string,
  declared: number | undefined,
  render: (text: string) => Rendered,
): GridCell[][] {
  const { cells, columns } = readCells(lines, separator, declared);
  const rows: GridCell[][] = [[]];
  const taken: number[] = [0];
  let count = 0;
  for (const cell of cells) {
    const rendered = render(cell.text.replaceAll(`\\${separator}`, separator).trim());
    count += cell.repeat;
    checkTableSize(count, 1);
    for (let time = 0; time < cell.repeat; time++) {
      while ((taken[rows.length - 1] ?? 0) >= columns) rows.push([]);
      const at = rows.length - 1;
      rows[at]!.push({ ...rendered, columnSpan: cell.columnSpan, rowSpan: cell.rowSpan });
      for (let row = at; row < at + Math.min(cell.rowSpan, 200); row++) {
        taken[row] = (taken[row] ?? 0) + cell.columnSpan;
      }
    }
  }
  return rows;
}
