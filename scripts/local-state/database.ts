import { existsSync } from 'node:fs';
import type { Select } from '../migrations/shape.ts';
import { DatabaseSync } from '../sqlite.ts';
import { databaseFile } from './miniflare-files.ts';

/**
 * Opens the D1 database of a state folder read-only and passes a query function to `read`. Returns
 * `undefined` if the folder has no database yet.
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
