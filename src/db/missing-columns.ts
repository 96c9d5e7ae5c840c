import { getTableColumns, getTableName, is, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from './client.ts';
import * as schema from './schema/index.ts';

/** Columns that this release needs but a table in the database lacks. */
export interface MissingColumns {
  table: string;
  columns: string[];
  /** Whether the whole table is missing. */
  isTableMissing: boolean;
}

/** Tables of this release with their SQL column names. */
const TABLES = Object.values<unknown>(schema)
  .filter((each) => is(each, SQLiteTable))
  .map((table) => ({
    table: getTableName(table),
    columns: Object.values(getTableColumns(table)).map(({ name }) => toSnakeCase(name)),
  }));

export const TABLE_COUNT = TABLES.length;

/**
 * Compares the database with the tables of this release in one query. Returns an empty list if nothing is
 * missing.
 */
export async function findMissingColumns(db: Database): Promise<MissingColumns[]> {
  const names = JSON.stringify(TABLES.map(({ table }) => table));
  const rows = await db.all<{ table: string; column: string }>(
    sql`select t.value as "table", c.name as "column"
      from json_each(${names}) t, pragma_table_info(t.value) c`,
  );
  const found = Map.groupBy(rows, ({ table }) => table);
  return TABLES.flatMap(({ table, columns }) => {
    const existing = new Set(found.get(table)?.map(({ column }) => column));
    const missing = columns.filter((column) => !existing.has(column));
    return missing.length > 0 ? [{ table, columns: missing, isTableMissing: existing.size === 0 }] : [];
  });
}

/** Describes the columns that a table lacks, as a sentence without a full stop. */
export const describeMissing = ({ table, columns, isTableMissing }: MissingColumns): string =>
  isTableMissing ? `the table ${table} is missing` : `${table} lacks ${columns.join(', ')}`;
