import { sql } from 'drizzle-orm';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { Database } from './client.ts';
import { describeMissing, findMissingColumns } from './missing-columns.ts';

interface Stores {
  db: Database;
  bucket: R2Bucket;
}

export interface Check {
  ok: boolean;
  ms?: number;
  error?: string;
}

/** Checks that the database and the object storage bucket respond. */
export async function checkStores({ db, bucket }: Stores): Promise<Record<string, Check>> {
  const [database, files] = await Promise.all([
    runTimedCheck(() => db.run(sql`select 1 from organizations limit 1`)),
    runTimedCheck(() => bucket.head('health')),
  ]);
  return { database, bucket: files };
}

/** Maximum number of tables that an error message names. Without migrations, all tables are missing. */
const MAX_TABLES = 5;

/**
 * Databases whose schema was complete when checked. They need no further check, because a schema cannot
 * become incomplete while a release runs.
 */
const completeDatabases = new WeakSet<D1Database>();

/**
 * Checks that the database has all tables and columns that this release uses. A database that passed once is
 * not queried again.
 */
export async function checkSchema(db: Database, binding: D1Database): Promise<Check> {
  if (completeDatabases.has(binding)) return { ok: true };
  try {
    const missing = await findMissingColumns(db);
    if (missing.length === 0) {
      completeDatabases.add(binding);
      return { ok: true };
    }
    const named = missing.slice(0, MAX_TABLES).map(describeMissing);
    if (missing.length > MAX_TABLES) named.push(`and ${missing.length - MAX_TABLES} more tables`);
    return { ok: false, error: `Apply the migrations: ${named.join('; ')}.` };
  } catch (error) {
    return { ok: false, error: getErrorMessage(error) };
  }
}

/** Runs a check. Returns its duration in milliseconds, or its error. */
export async function runTimedCheck(work: () => Promise<unknown>): Promise<Check> {
  const start = Date.now();
  try {
    await work();
    return { ok: true, ms: Date.now() - start };
  } catch (error) {
    return { ok: false, error: getErrorMessage(error) };
  }
}
