import { and, asc, desc, getTableColumns, getTableName, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Context } from '#src/context/context.ts';
import { requireOwnedTable } from '#src/db/ownership/owned-tables.ts';
import { afterKey } from '#src/db/paging.ts';
import { replaceSealed } from '#src/services/secrets/key-ring.ts';
import { MASK } from '#src/services/secrets/secret-places.ts';
import { type Entry, textEntry } from './archive.ts';

/**
 * Maximum number of rows per query. Rows with results, texts or answers may have a megabyte each, so fewer of
 * them are read at once.
 */
const ROWS_AT_ONCE = 100;
const LARGE_AT_ONCE = 10;
const LARGE_COLUMNS = ['answers', 'body', 'content', 'details', 'events', 'result', 'text'];
/** Number of characters after which a file of rows ends and the next one begins. */
const ENTRY_CHARS = 1_000_000;

/**
 * Query for rows of a table. `key` lists the sort columns, which follow an index and together identify a row.
 */
export interface Rows {
  table: SQLiteTable;
  where: SQL | undefined;
  key: readonly [SQLiteColumn, ...SQLiteColumn[]];
  direction?: 'asc' | 'desc';
}

export type Row = Record<string, unknown>;

export async function* iterateRows(
  ctx: Context,
  { table, where, key, direction = 'asc' }: Rows,
): AsyncGenerator<Row[]> {
  const order = direction === 'asc' ? asc : desc;
  const names = key.map((column) => getPropertyName(table, column));
  const most = LARGE_COLUMNS.some((name) => name in getTableColumns(table)) ? LARGE_AT_ONCE : ROWS_AT_ONCE;
  for (let after: (string | number)[] | undefined; ; ) {
    const rows: Row[] = await ctx.db
      .select()
      .from(table)
      .where(and(where, afterKey(key, after, direction)))
      .orderBy(...key.map((column) => order(column)))
      .limit(most);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < most) return;
    after = names.map((name) => toKeyValue(last[name]));
  }
}

/**
 * Writes rows as lines of JSON into the file `name.ndjson`. When the file is full, the next rows go to
 * `name-2.ndjson` and so on. `shown` may add fields to a row.
 */
export async function* rowEntries(
  name: string,
  table: SQLiteTable,
  pages: AsyncIterable<Row[]>,
  shown: (row: Row) => Row = (row) => row,
): AsyncGenerator<Entry> {
  let number = 0;
  let lines = '';
  const entry = async () => {
    number += 1;
    const text = await maskSealed(lines);
    lines = '';
    return textEntry(`${name}${number > 1 ? `-${number}` : ''}.ndjson`, text);
  };
  for await (const rows of pages) {
    for (const row of rows) {
      lines += `${JSON.stringify(toApiNames(table, shown(row)))}\n`;
      if (lines.length >= ENTRY_CHARS) yield await entry();
    }
  }
  if (lines) yield await entry();
}

/** Replaces every sealed secret in a text with a mask. */
export const maskSealed = (text: string): Promise<string> => replaceSealed(text, async () => MASK);

/** Returns a row with the field names of the API and without the internal columns of its table. */
export function toApiNames(table: SQLiteTable, row: Row): Row {
  const { internal = [] } = requireOwnedTable(getTableName(table));
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !internal.includes(name))
      .map(([name, value]) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}

function getPropertyName(table: SQLiteTable, column: SQLiteColumn): string {
  const found = Object.entries(getTableColumns(table)).find(([, each]) => each === column);
  if (!found) throw new Error(`${column.name} belongs to another table`);
  return found[0];
}

function toKeyValue(value: unknown): string | number {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error('A key column must contain texts, numbers or dates.');
}
