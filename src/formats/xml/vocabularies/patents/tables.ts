import type { XmlNode } from '#src/text-formats/xml.ts';
import { childrenNamed, findAll, isBlankNode, localName, make } from '../../tree/build.ts';
import { type CalsCell, readCalsRows, writeCalsRows } from '../../tree/cals.ts';
import type { RuleFunction } from '../../tree/rewriter.ts';

type Row = readonly CalsCell[];

const isFilled = ({ nodes }: CalsCell) => nodes.some((node) => !isBlankNode(node));

/** Returns whether a row only draws a line across the table. */
const isRule = (row: Row) => !row.some(isFilled) && row.some(({ hasRule }) => hasRule);

/** Divides rows at the lines that are drawn across the table. */
function splitAtRules(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = [[]];
  for (const row of rows) {
    if (isRule(row)) parts.push([]);
    else if (row.some(isFilled)) parts.at(-1)!.push(row);
  }
  return parts;
}

/** Returns whether each row has one filled cell at most, as titles and notes of tables have. */
const isProse = (rows: readonly Row[]) => rows.every((row) => row.filter(isFilled).length <= 1);

const writeProse = (rows: readonly Row[]): XmlNode[] =>
  rows.flatMap((row) => row.filter(isFilled).map(({ nodes }) => make('p', nodes)));

/** Joins the lines of a header, which patents write as rows of their own, into one row. */
function joinHeader(rows: readonly Row[]): Row[] {
  if (rows.length < 2) return [...rows];
  const columns = new Map<number, CalsCell>();
  for (const cell of rows.flat().filter(isFilled)) {
    const above = columns.get(cell.column);
    if (!above) columns.set(cell.column, { ...cell, rowSpan: 1 });
    else {
      above.nodes = [...above.nodes, ' ', ...cell.nodes];
      above.columnSpan = Math.min(above.columnSpan, cell.columnSpan);
    }
  }
  const cells = [...columns.values()].sort((a, b) => a.column - b.column);
  for (const [index, cell] of cells.entries()) {
    const next = cells[index + 1];
    if (next) cell.columnSpan = Math.max(1, Math.min(cell.columnSpan, next.column - cell.column));
  }
  return [cells];
}

/**
 * Writes a table of a patent. Lines across the table divide it into title, header, body and notes. The title and
 * the notes become paragraphs.
 */
export const writePatentTable: RuleFunction = (element, rewriter) => {
  const isTable = localName(element.name) === 'table';
  const tables = isTable ? [element] : findAll(element, 'table');
  const around = isTable
    ? []
    : childrenNamed(element, 'heading', 'p').flatMap((part) => rewriter.rewrite(part));
  if (!isTable && findAll(element, 'img', 'image').length > 0) rewriter.pictures++;
  const written = tables.flatMap((table) => {
    const parts = splitAtRules(readCalsRows(table, rewriter));
    const before = parts.length > 1 && isProse(parts[0]!) ? parts.shift()! : [];
    const last = parts.at(-1)!;
    const after = parts.length > 1 && isProse(last) ? parts.pop()! : [];
    const [header = [], ...body] = parts;
    const hasHeader = body.some((part) => part.length > 0);
    const rows = [...(hasHeader ? joinHeader(header) : header), ...body.flat()];
    return [...writeProse(before), ...writeCalsRows(rows), ...writeProse(after)];
  });
  return [make('div', [...around, ...written])];
};
