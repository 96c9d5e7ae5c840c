import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

/** `column in (values…)` with one parameter however many values there are: a statement of D1 takes a hundred. */
export const isOneOf = (column: SQLiteColumn | SQL, values: readonly string[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
