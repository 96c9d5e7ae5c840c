import { sql } from 'drizzle-orm';
import { messageOf } from '#src/errors.ts';
import type { Database } from './client.ts';

/** What the service keeps its state in. */
interface Stores {
  db: Database;
  bucket: R2Bucket;
}

export interface Check {
  ok: boolean;
  ms?: number;
  error?: string;
}

/** Asks the database and the bucket something. */
export async function checkStores({ db, bucket }: Stores): Promise<Record<string, Check>> {
  const [database, files] = await Promise.all([
    timed(() => db.run(sql`select 1 from organizations limit 1`)),
    timed(() => bucket.head('health')),
  ]);
  return { database, bucket: files };
}

/** How long work took that succeeds, or what it failed with. */
export async function timed(work: () => Promise<unknown>): Promise<Check> {
  const start = Date.now();
  try {
    await work();
    return { ok: true, ms: Date.now() - start };
  } catch (error) {
    return { ok: false, error: messageOf(error) };
  }
}
