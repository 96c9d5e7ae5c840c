import { getTableColumns, type InferInsertModel, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from './client.ts';

/** A row that is inserted if `condition` holds and the row does not exist yet. */
export interface ConditionalRow {
  table: SQLiteTable;
  row: Record<string, unknown>;
  condition: SQL;
}

/** Creates a ConditionalRow. Columns without a value become null; defaults of the table do not apply. */
export function rowWhen<Table extends SQLiteTable>(
  table: Table,
  row: InferInsertModel<Table>,
  condition: SQL,
): ConditionalRow {
  return { table, row, condition };
}

/**
 * Returns the insert statement. In a batch after the update that fulfils the condition, both happen or
 * neither. Statements run when awaited, so build them where the batch is.
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
