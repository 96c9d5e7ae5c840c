import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

/** Maximum rows and JSON characters per statement. A D1 value takes 2,000,000 bytes. */
const MOST_ROWS = 500;
const MOST_CHARACTERS = 600_000;

/**
 * Returns rows for `insert(table).select(…)`, in statements of some hundred rows. As JSON they take one
 * parameter, of which a statement allows a hundred. Missing members get the column's default. `where` refers
 * to a row as `value`, including members that are no columns.
 */
export function rowsToInsert<Table extends SQLiteTable>(
  table: Table,
  rows: readonly (Table['$inferInsert'] & Record<string, unknown>)[],
  where: SQL = sql`true`,
): SQL[] {
  const columns = Object.entries(getTableColumns(table));
  const encoded = rows.map((row) => {
    const values = columns.map(([name, column]) => [name, driverValue(column, row[name])]);
    return JSON.stringify({ ...row, ...Object.fromEntries(values) });
  });
  const selected = columns.map(([name, column]) => {
    const value = sql`value ->> ${name}`;
    return column.default === undefined ? value : sql`coalesce(${value}, ${column.default})`;
  });
  return pagesOf(encoded).map(
    (page) => sql`select ${sql.join(selected, sql`, `)} from json_each(${`[${page.join()}]`}) where ${where}`,
  );
}

function driverValue(column: { mapToDriverValue(value: unknown): unknown }, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const mapped = column.mapToDriverValue(value);
  // Replaces lone surrogates, as binding a parameter would.
  return typeof mapped === 'string' ? mapped.toWellFormed() : mapped;
}

function pagesOf(texts: string[]): string[][] {
  const pages: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const page = pages.at(-1);
    characters += text.length;
    if (page && page.length < MOST_ROWS && characters <= MOST_CHARACTERS) page.push(text);
    else {
      pages.push([text]);
      characters = text.length;
    }
  }
  return pages;
}
