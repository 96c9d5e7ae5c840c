import { and, asc, desc, getTableColumns, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Context } from '#src/context.ts';
import { following } from '#src/db/paging.ts';
import { replaceSealed } from '#src/services/secrets/key-ring.ts';
import { MASK } from '#src/services/secrets/secret-places.ts';
import { type Entry, textEntry } from './archive.ts';

/** Rows of one entry; a row may have a result of a megabyte. */
const ROWS_PER_ENTRY = 100;

/** What only the service itself knows what to do with: places, hashes, versions of other systems. */
const INTERNAL = new Set([
  'as_original',
  'content_fingerprint',
  'described_at',
  'embedding_config_hash',
  'failed_fingerprint',
  'fetched_version',
  'hash',
  'origin',
  'parsing_config_hash',
  'pending_key',
  'pending_name',
  'pending_until',
  'sealed_input',
  'source_generation',
  'source_version',
  'storage_key',
  'text_id',
  'transform_config_hash',
]);

/** Which rows of a table, and in which order they are read: that of one of its indexes, up to what tells them apart. */
export interface Rows {
  table: SQLiteTable;
  where: SQL | undefined;
  key: readonly [SQLiteColumn, ...SQLiteColumn[]];
  direction?: 'asc' | 'desc';
}

export type Row = Record<string, unknown>;

/** All rows, some at a time. */
export async function* pagesOf(
  ctx: Context,
  { table, where, key, direction = 'asc' }: Rows,
): AsyncGenerator<Row[]> {
  const order = direction === 'asc' ? asc : desc;
  const names = key.map((column) => memberOf(table, column));
  for (let after: (string | number)[] | undefined; ; ) {
    const rows: Row[] = await ctx.db
      .select()
      .from(table)
      .where(and(where, following(key, after, direction)))
      .orderBy(...key.map((column) => order(column)))
      .limit(ROWS_PER_ENTRY);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_ENTRY) return;
    after = names.map((name) => comparable(last[name]));
  }
}

/** Rows as lines of JSON: `name.ndjson`, and `name-2.ndjson` and so on where they are many. */
export async function* rowEntries(
  name: string,
  pages: AsyncIterable<Row[]>,
  shown: (row: Row) => Row = (row) => row,
): AsyncGenerator<Entry> {
  let number = 0;
  for await (const rows of pages) {
    number += 1;
    const lines = rows.map((row) => `${JSON.stringify(named(shown(row)))}\n`).join('');
    yield textEntry(`${name}${number > 1 ? `-${number}` : ''}.ndjson`, await masked(lines));
  }
}

/** Secrets are sealed wherever they are stored; of what is sealed nothing is told but that it is there. */
export const masked = (text: string): Promise<string> => replaceSealed(text, async () => MASK);

/** By the names that the API has for its members. */
export function named(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row)
      .map(
        ([name, value]) =>
          [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const,
      )
      .filter(([name]) => !INTERNAL.has(name)),
  );
}

function memberOf(table: SQLiteTable, column: SQLiteColumn): string {
  const found = Object.entries(getTableColumns(table)).find(([, each]) => each === column);
  if (!found) throw new Error(`${column.name} is of another table`);
  return found[0];
}

function comparable(value: unknown): string | number {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error('Rows are told apart by texts, numbers and moments.');
}
