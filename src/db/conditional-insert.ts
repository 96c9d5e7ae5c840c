import { getTableColumns, type InferInsertModel, is, Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from './client.ts';

/** Row that is inserted only if `condition` is true and no conflicting row exists. */
export interface ConditionalRow {
  table: SQLiteTable;
  row: Record<string, unknown>;
  condition: SQL;
}

/** Creates a `ConditionalRow`. Columns without a value become null instead of getting the table's default. */
export function createConditionalRow<Table extends SQLiteTable>(
  table: Table,
  row: InferInsertModel<Table>,
  condition: SQL,
): ConditionalRow {
  return { table, row, condition };
}

/**
 * Returns the statement that inserts a conditional row. Put it into a batch after the update that makes the
 * condition true. Then both take effect or neither. Awaiting the statement runs it, so build it where the
 * batch is built.
 */
export function buildConditionalInsert({ db }: { db: Database }, { table, row, condition }: ConditionalRow) {
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = row[name];
    if (value === undefined || value === null) return sql`null`;
    return is(value, Placeholder) ? sql`${value}` : sql`${sql.param(value, column)}`;
  });
  return db
    .insert(table)
    .select(sql`select ${sql.join(values, sql`, `)} where ${condition}`)
    .onConflictDoNothing();
}

/**
 * Returns a row that contains a placeholder for each column of a table, for a conditional insert that is prepared once.
 * Its values must be encoded with `encodeRow`.
 */
export const createPlaceholderRow = (table: SQLiteTable): Record<string, unknown> =>
  Object.fromEntries(Object.keys(getTableColumns(table)).map((name) => [name, sql.placeholder(name)]));

/** Returns the values of all columns as the database stores them. Columns without a value become null. */
export const encodeRow = <Table extends SQLiteTable>(table: Table, row: InferInsertModel<Table>) =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([name, column]) => {
      const value = (row as Record<string, unknown>)[name] ?? null;
      return [name, value === null ? null : column.mapToDriverValue(value)];
    }),
  );
