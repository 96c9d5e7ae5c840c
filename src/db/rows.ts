import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

/**
 * Maximum number of rows per insert statement. `MAX_CHARACTERS` limits their JSON in characters, because D1
 * limits a value to 2,000,000 bytes.
 */
const MAX_ROWS = 500;
const MAX_CHARACTERS = 600_000;

/**
 * Returns one SELECT per batch of up to 500 rows, for use in `insert(table).select(…)`. All rows of a batch
 * are passed as one JSON parameter, because D1 allows at most 100 parameters. Missing values get the column's
 * default. `where` can refer to the row's JSON object as `value`.
 */
export function buildInsertSelects<Table extends SQLiteTable>(
  table: Table,
  rows: readonly (Table['$inferInsert'] & Record<string, unknown>)[],
  where: SQL = sql`true`,
): SQL[] {
  const columns = Object.entries(getTableColumns(table));
  const encoded = rows.map((row) => {
    const values = columns.map(([name, column]) => [name, toDriverValue(column, row[name])]);
    return JSON.stringify({ ...row, ...Object.fromEntries(values) });
  });
  const selected = columns.map(([name, column]) => {
    const value = sql`value ->> ${name}`;
    return column.default === undefined ? value : sql`coalesce(${value}, ${column.default})`;
  });
  return splitIntoBatches(encoded).map(
    (page) => sql`select ${sql.join(selected, sql`, `)} from json_each(${`[${page.join()}]`}) where ${where}`,
  );
}

function toDriverValue(column: { mapToDriverValue(value: unknown): unknown }, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const mapped = column.mapToDriverValue(value);
  // Replaces incomplete surrogate pairs with U+FFFD, as D1 does with bound parameters.
  return typeof mapped === 'string' ? mapped.toWellFormed() : mapped;
}

function splitIntoBatches(texts: string[]): string[][] {
  const pages: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const page = pages.at(-1);
    characters += text.length;
    if (page && page.length < MAX_ROWS && characters <= MAX_CHARACTERS) page.push(text);
    else {
      pages.push([text]);
      characters = text.length;
    }
  }
  return pages;
}
