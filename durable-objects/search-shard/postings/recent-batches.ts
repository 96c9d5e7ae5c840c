import type { TermCounts } from '#src/search/analysis.ts';
import { packStaged, RecentPostings } from '#src/search/recent-postings.ts';

/** Approximate size of a batch in bytes, well below Cloudflare's limit of 2 MB per value. */
const BATCH_BYTES = 1_000_000;

/** Stores the local ids and the packed postings of chunks that were staged in one call. */
export function insertRecentBatch(
  sql: SqlStorage,
  chunks: readonly (TermCounts & { local: number })[],
): void {
  if (chunks.length === 0) return;
  let locals = chunks.map(({ local }) => local);
  const [first = new Uint8Array(), ...rest] = packStaged(chunks, BATCH_BYTES);
  for (const postings of [first, ...rest]) {
    sql.exec(
      'INSERT INTO recent_batch (chunks, locals, postings) VALUES (?, ?, ?)',
      locals.length,
      JSON.stringify(locals),
      postings,
    );
    locals = [];
  }
}

export function countRecent(sql: SqlStorage): number {
  return sql.exec<{ n: number }>('SELECT coalesce(sum(chunks), 0) AS n FROM recent_batch').one().n;
}

/**
 * Returns the local ids that are in no code segment yet, including ids of chunks that were deleted since.
 */
export function readRecentLocals(sql: SqlStorage): number[] {
  const rows = sql.exec<{ locals: string }>('SELECT locals FROM recent_batch');
  return [...rows].flatMap(({ locals }) => JSON.parse(locals) as number[]);
}

export function readRecentPostings(sql: SqlStorage): RecentPostings {
  const recent = new RecentPostings();
  const rows = sql.exec<{ postings: ArrayBuffer }>(
    'SELECT postings FROM recent_batch WHERE length(postings) > 0 ORDER BY number',
  );
  for (const { postings } of rows) recent.addStaged(postings);
  return recent;
}
