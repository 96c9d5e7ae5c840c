import type { XmlElement, XmlNode } from '#src/text-formats/xml.ts';
import { childrenNamed, findAll, isBlankNode, localName, make } from './build.ts';
import { readColumns, type TableColumns } from './cals-columns.ts';
import type { Rewriter } from './rewriter.ts';

/** Entry of a table in the CALS model, placed on the columns of the whole table. */
export interface CalsCell {
  nodes: XmlNode[];
  column: number;
  columnSpan: number;
  rowSpan: number;
  isHeader: boolean;
  /** True if a line is drawn below the cell. */
  hasRule: boolean;
}

const MAX_ROW_SPAN = 1_000;

const isFilled = ({ nodes }: CalsCell) => nodes.some((node) => !isBlankNode(node));
const toNumber = (value: string | undefined) => Math.trunc(Number(value)) || 0;

/** Places the entries of one row, and marks the columns that rows below must leave free. */
function readRow(row: XmlElement, columns: TableColumns, busy: number[], rewriter: Rewriter): CalsCell[] {
  const isHeader = localName(row.name) === 'head';
  const cells: CalsCell[] = [];
  let next = 0;
  for (const entry of childrenNamed(row, 'entry', 'entrytbl')) {
    while ((busy[next] ?? 0) > 0) next++;
    const { colname, namest, nameend, spanname, morerows, rowsep } = entry.attributes;
    const span = spanname === undefined ? undefined : columns.spans.get(spanname);
    const first = columns.find(span?.first ?? namest ?? colname) ?? next;
    const last = Math.max(first, columns.find(span?.last ?? nameend) ?? first);
    const rowSpan = Math.min(MAX_ROW_SPAN, Math.max(0, toNumber(morerows))) + 1;
    const { start, end } = columns.place(first, last);
    const nodes = rewriter.inline(entry);
    cells.push({ nodes, column: start, columnSpan: end - start, rowSpan, isHeader, hasRule: rowsep === '1' });
    for (let column = first; column <= last && rowSpan > 1; column++) busy[column] = rowSpan;
    next = last + 1;
  }
  for (const column of busy.keys()) if ((busy[column] ?? 0) > 0) busy[column]!--;
  return cells;
}

/** Reads the rows of all column groups of a table, in order. */
export function readCalsRows(table: XmlElement, rewriter: Rewriter): CalsCell[][] {
  const groups = childrenNamed(table, 'tgroup');
  const parts = groups.length > 0 ? groups : [table];
  const columns = readColumns(parts);
  return parts.flatMap((group, index) =>
    childrenNamed(group, 'thead', 'tbody', 'tfoot').flatMap((part) => {
      const busy: number[] = [];
      return childrenNamed(part, 'row').map((row) => readRow(row, columns[index]!, busy, rewriter));
    }),
  );
}

/** Writes a row with empty cells where no entry stands. */
function writeRow(cells: readonly CalsCell[], occupied: number[]): XmlElement {
  const written: XmlNode[] = [];
  let at = 0;
  for (const cell of [...cells].sort((a, b) => a.column - b.column)) {
    for (; at < cell.column; at++) if ((occupied[at] ?? 0) === 0) written.push(make('td', []));
    const { columnSpan, rowSpan } = cell;
    const attributes = { colspan: String(columnSpan), rowspan: String(rowSpan) };
    written.push(make('td', cell.nodes, attributes));
    for (let column = at; column < at + columnSpan && rowSpan > 1; column++) occupied[column] = rowSpan;
    at += columnSpan;
  }
  for (const column of occupied.keys()) if ((occupied[column] ?? 0) > 0) occupied[column]!--;
  return make('tr', written);
}

/** Writes placed rows as an HTML table. Rows without content only draw lines, and are left out. */
export function writeCalsRows(rows: readonly (readonly CalsCell[])[]): XmlNode[] {
  const occupied: number[] = [];
  const filled = rows.filter((row) => row.some(isFilled) || row.some(({ rowSpan }) => rowSpan > 1));
  return filled.length === 0
    ? []
    : [
        make(
          'table',
          filled.map((row) => writeRow(row, occupied)),
        ),
      ];
}

/** Rewrites a table of the CALS model as HTML. */
export const rewriteCals = (table: XmlElement, rewriter: Rewriter): XmlNode[] =>
  writeCalsRows(readCalsRows(table, rewriter));

export const isCals = (table: XmlElement): boolean => findAll(table, 'tgroup', 'row').length > 0;
