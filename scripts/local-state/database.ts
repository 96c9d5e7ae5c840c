import { createHash, createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Select } from '../migrations/shape.ts';
import { DatabaseSync } from '../sqlite.ts';

/** Durable Object class in which Miniflare keeps D1 databases, and the name of the folder with their files. */
const D1_CLASS = 'miniflare-D1DatabaseObject';

/** Reads the id that wrangler.toml gives to the local database. Miniflare names the file after the id. */
function readDatabaseId(): string {
  const [, id] = /^database_id = "([^"]+)"/m.exec(readFileSync('wrangler.toml', 'utf8')) ?? [];
  if (!id) throw new Error('wrangler.toml has no database_id.');
  return id;
}

/**
 * Computes the id of a named Durable Object as Miniflare does: 16 bytes made from the name, then 16 bytes that bind
 * them to the class.
 */
function objectId(className: string, name: string): string {
  const key = createHash('sha256').update(className).digest();
  const sign = (data: string | Buffer) => createHmac('sha256', key).update(data).digest().subarray(0, 16);
  const named = sign(name);
  return Buffer.concat([named, sign(named)]).toString('hex');
}

/** Returns the path of the SQLite file that holds the D1 database of a state folder. The file need not exist. */
export const databaseFile = (state: string, id: string = readDatabaseId()): string =>
  join(state, 'v3', 'd1', D1_CLASS, `${objectId(D1_CLASS, id)}.sqlite`);

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
