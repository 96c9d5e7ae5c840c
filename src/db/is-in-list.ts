import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

/**
 * Returns the SQL condition `column in (values…)`. All values share one parameter, because D1 allows at most
 * 100 parameters per statement.
 */
export const isInList = (column: SQLiteColumn | SQL, values: readonly (string | number)[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
