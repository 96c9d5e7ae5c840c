import { getTableColumns, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from './client.ts';

/** A row to be inserted, unless it is there, if `condition` holds at that moment. */
export interface ConditionalRow {
  table: SQLiteTable;
  row: Record<string, unknown>;
  condition: SQL;
}

/** Columns without a value become null: defaults of the table do not apply. */
export function rowWhen<Table extends SQLiteTable>(
  table: Table,
  row: InferInsertModel<Table>,
  condition: SQL,
): ConditionalRow {
  return { table, row, condition };
}

/**
 * The statement for it. In a batch behind the update that makes the condition hold, both happen or neither.
 * Statements are promises as well, which run when awaited: build them where the batch is.
 */
export function insertWhen({ db }: { db: Database }, { table, row, condition }: ConditionalRow) {
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = row[name];
    return value === undefined || value === null ? sql`null` : sql`${sql.param(value, column)}`;
  });
  return db
    .insert(table)
    .select(sql`select ${sql.join(values, sql`, `)} where ${condition}`)
    .onConflictDoNothing();
}
