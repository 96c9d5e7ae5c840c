import { formatCell } from './cell-range.ts';
import type { CellBlock } from './regions.ts';
import { buildTable, type Table, type TableColumn, type TableOptions } from './table.ts';

/** Returns a table with one row for each filled cell of a region: its place, its text and its type. */
export function listCellDetails(block: CellBlock, options: TableOptions): TableColumn[] {
  const { columns, headerRows }: Table = buildTable(block.rows, options);
  const cells = block.rows.flatMap((row, y) =>
    row.flatMap((text, x) => (text === '' ? [] : [{ text, x, y, isHeader: y < headerRows }])),
  );
  return [
    {
      name: 'cell',
      type: 'STRING',
      values: cells.map(({ x, y }) => formatCell(block.row + y, block.column + x)),
    },
    { name: 'row_number', type: 'DOUBLE', values: cells.map(({ y }) => block.row + y + 1) },
    { name: 'column_number', type: 'DOUBLE', values: cells.map(({ x }) => block.column + x + 1) },
    { name: 'value', type: 'STRING', values: cells.map(({ text }) => text) },
    {
      name: 'value_type',
      type: 'STRING',
      values: cells.map(({ x, isHeader }) => (isHeader ? 'STRING' : columns[x]!.type)),
    },
    { name: 'is_header', type: 'BOOLEAN', values: cells.map(({ isHeader }) => isHeader) },
  ];
}
