import { drizzle } from 'drizzle-orm/d1';
import { keepReads } from './reads-until-write.ts';
import * as schema from './schema/index.ts';
import { watchWrites } from './watched-binding.ts';

export type Database = ReturnType<typeof open>;

const open = (binding: D1Database) => drizzle(watchWrites(binding), { schema, casing: 'snake_case' });

/**
 * Database clients by D1 binding. They are reused, because setting up a client takes longer than most
 * queries.
 */
const opened = new WeakMap<D1Database, Database>();

/** Opens a database. `isOnlyWriter` means that all writes to it come from this isolate; see `readUntilWrite`. */
export function openDatabase(binding: D1Database, isOnlyWriter = false): Database {
  const database = opened.get(binding) ?? open(binding);
  opened.set(binding, database);
  if (isOnlyWriter) keepReads(database);
  return database;
}
