import { formatCount } from '#src/lib/text/format-count.ts';

export type CellValue = string | number | boolean | null;

export interface TableColumn {
  name: string;
  type: 'STRING' | 'DOUBLE' | 'BOOLEAN';
  /** Values below the header. An empty cell is null. */
  values: CellValue[];
}

export interface Table {
  columns: TableColumn[];
  /** Number of header rows. */
  headerRows: number;
}

export interface TableOptions {
  /** True if several header rows become one. Otherwise only the first row is a header. */
  flatten: boolean;
  /** True if numbers have commas between thousands. False for text files, in which a comma may be decimal. */
  hasGroupedNumbers: boolean;
}

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const GROUPED_NUMBER = /^-?[1-9]\d{0,2}(?:,\d{3}){1,4}(?:\.\d{1,15})?$/;
/** Matches amounts, percentages and dates, which are the values of a table rather than names of columns. */
const VALUE = /^[-+(]?\s?\p{Sc}?\s?\d[\d.,:'/\- ]*\s?(?:%|\p{Sc}|[A-Z]{3})?\)?$/u;
/** Maximum number of header rows. */
const MAX_HEADER_ROWS = 4;

const isText = (cell: string) => cell !== '' && !VALUE.test(cell) && !/^(?:TRUE|FALSE)$/.test(cell);
const isTextRow = (row: readonly string[]) =>
  row.some((cell) => cell !== '') && row.every((cell) => cell === '' || isText(cell));

/**
 * Returns the number of header rows. A header row contains only texts. It is followed by another one if it has
 * empty cells, as rows with merged cells have.
 */
export function countHeaderRows(rows: readonly (readonly string[])[]): number {
  const [first] = rows;
  if (!first || rows.length < 2) return 0;
  const filled = first.filter((cell) => cell !== '');
  const isUnique = new Set(filled).size === filled.length;
  const hasValues = rows.some((row) => row.some((cell) => cell !== '' && !isText(cell)));
  if (!hasValues) return filled.length === first.length && isUnique ? 1 : 0;
  if (!isTextRow(first)) {
    // The columns of a cross table may be years, with an empty corner.
    const [corner, ...years] = first;
    return corner === '' && years.length > 0 && years.every((cell) => cell !== '') && isUnique ? 1 : 0;
  }
  let count = 1;
  while (
    count < Math.min(MAX_HEADER_ROWS, rows.length - 1) &&
    rows[count - 1]!.slice(1).includes('') &&
    isTextRow(rows[count]!)
  )
    count++;
  return count;
}

/** Converts the cells of a region into named columns with one type each. */
export function buildTable(
  rows: readonly (readonly string[])[],
  { flatten, hasGroupedNumbers }: TableOptions,
): Table {
  const headerRows = Math.min(countHeaderRows(rows), flatten ? MAX_HEADER_ROWS : 1);
  const width = rows[0]?.length ?? 0;
  const names = nameColumns(rows.slice(0, headerRows), width);
  const body = rows.slice(headerRows);
  const columns = names.map((name, at) => {
    const cells = body.map((row) => row[at] ?? '');
    return { name, ...readColumn(cells, hasGroupedNumbers) };
  });
  return { columns, headerRows };
}

/** Returns unique names of the columns. The name of a merged cell counts for all columns that it covers. */
function nameColumns(header: readonly (readonly string[])[], width: number): string[] {
  const parts: string[][] = Array.from({ length: width }, () => []);
  for (const [depth, row] of header.entries()) {
    let merged = '';
    for (let at = 0; at < width; at++) {
      const cell = row[at] ?? '';
      if (cell !== '') merged = cell;
      const name = cell !== '' || depth === header.length - 1 ? cell : merged;
      if (name !== '' && parts[at]!.at(-1) !== name) parts[at]!.push(name);
    }
  }
  const used = new Set<string>();
  return parts.map((part, at) => {
    const base = part.join(' / ').replace(/\s+/g, ' ') || `column_${at + 1}`;
    let name = base;
    for (let copy = 2; used.has(name); copy++) name = `${base}_${copy}`;
    used.add(name);
    return name;
  });
}

/** Returns the values of a column. All filled cells must be numbers, or all booleans. Otherwise all are texts. */
function readColumn(cells: readonly string[], hasGroupedNumbers: boolean): Omit<TableColumn, 'name'> {
  const filled = cells.filter((cell) => cell !== '');
  const every = (test: (cell: string) => boolean) => filled.length > 0 && filled.every(test);
  const isNumber = (cell: string) =>
    PLAIN_NUMBER.test(cell) || (hasGroupedNumbers && GROUPED_NUMBER.test(cell));
  const convert = (read: (cell: string) => CellValue) =>
    cells.map((cell) => (cell === '' ? null : read(cell)));
  if (every(isNumber)) return { type: 'DOUBLE', values: convert((cell) => Number(cell.replaceAll(',', ''))) };
  if (every((cell) => cell === 'TRUE' || cell === 'FALSE')) {
    return { type: 'BOOLEAN', values: convert((cell) => cell === 'TRUE') };
  }
  return { type: 'STRING', values: convert((cell) => cell) };
}

const MAX_DESCRIBED_COLUMNS = 12;
const MAX_DESCRIPTION = 500;

/** Describes the size and the columns of a table. */
export function describeTable({ columns }: Table): string {
  const rows = columns[0]?.values.length ?? 0;
  const names = columns.slice(0, MAX_DESCRIBED_COLUMNS).map(({ name }) => name);
  const more = columns.length > names.length ? ', …' : '';
  const text = `${formatCount(rows, 'row')} and ${formatCount(columns.length, 'column')}: ${names.join(', ')}${more}`;
  return text.slice(0, MAX_DESCRIPTION);
}
