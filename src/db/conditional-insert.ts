import { getTableColumns, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
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
    return value === undefined || value === null ? sql`null` : sql`${sql.param(value, column)}`;
  });
  return db
    .insert(table)
    .select(sql`select ${sql.join(values, sql`, `)} where ${condition}`)
    .onConflictDoNothing();
}
