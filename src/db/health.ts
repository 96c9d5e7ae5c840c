import { sql } from 'drizzle-orm';
import { messageOf } from '#src/lib/errors.ts';
import type { Database } from './client.ts';
import { describeMissing, findMissingColumns } from './missing-columns.ts';

/** Stores that hold the service's state. */
interface Stores {
  db: Database;
  bucket: R2Bucket;
}

export interface Check {
  ok: boolean;
  ms?: number;
  error?: string;
}

/** Checks that the database and the bucket answer. */
export async function checkStores({ db, bucket }: Stores): Promise<Record<string, Check>> {
  const [database, files] = await Promise.all([
    timed(() => db.run(sql`select 1 from organizations limit 1`)),
    timed(() => bucket.head('health')),
  ]);
  return { database, bucket: files };
}

/** Maximum number of tables named in an error. A database without migrations lacks all of them. */
const MOST_TABLES = 5;

/** Databases whose schema was found complete, which cannot change while this code runs. */
const complete = new WeakSet<D1Database>();

/** Checks that the database has all tables and columns that this release uses. Asks a complete database only once. */
export async function checkSchema(db: Database, binding: D1Database): Promise<Check> {
  if (complete.has(binding)) return { ok: true };
  try {
    const missing = await findMissingColumns(db);
    if (missing.length === 0) {
      complete.add(binding);
      return { ok: true };
    }
    const named = missing.slice(0, MOST_TABLES).map(describeMissing);
    if (missing.length > MOST_TABLES) named.push(`and ${missing.length - MOST_TABLES} more tables`);
    return { ok: false, error: `Apply the migrations: ${named.join('; ')}.` };
  } catch (error) {
    return { ok: false, error: messageOf(error) };
  }
}

/** Runs a check. Returns its duration in milliseconds, or its error. */
export async function timed(work: () => Promise<unknown>): Promise<Check> {
  const start = Date.now();
  try {
    await work();
    return { ok: true, ms: Date.now() - start };
  } catch (error) {
    return { ok: false, error: messageOf(error) };
  }
}
