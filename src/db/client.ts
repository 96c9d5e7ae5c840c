import { drizzle } from 'drizzle-orm/d1';
import * as schema from './schema/index.ts';

export type Database = ReturnType<typeof open>;

const open = (binding: D1Database) => drizzle(binding, { schema, casing: 'snake_case' });

/**
 * Database clients by D1 binding. They are reused, because setting up a client takes longer than most
 * queries.
 */
const opened = new WeakMap<D1Database, Database>();

export function openDatabase(binding: D1Database): Database {
  const database = opened.get(binding) ?? open(binding);
  opened.set(binding, database);
  return database;
}
