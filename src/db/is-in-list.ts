import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

/**
 * Returns the condition `column in (values…)`. The values take a single parameter, because D1 allows at most
 * one hundred parameters per statement.
 */
export const isInList = (column: SQLiteColumn | SQL, values: readonly string[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
