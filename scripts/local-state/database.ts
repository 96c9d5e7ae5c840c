import { existsSync } from 'node:fs';
import type { Select } from '../migrations/shape.ts';
import { DatabaseSync } from '../sqlite.ts';
import { databaseFile } from './miniflare-files.ts';

/**
 * Gives `read` a way to query the D1 database of a state folder, without write access. Returns `undefined` if the state
 * folder has no database yet.
 */
export async function readDatabase<Result>(
  state: string,
  read: (select: Select) => Promise<Result>,
): Promise<Result | undefined> {
  const file = databaseFile(state);
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return await read(async (sql) => database.prepare(sql).all());
  } finally {
    database.close();
  }
}
