import type { TermCounts } from '#src/search/analysis.ts';
import { packStaged, RecentPostings } from '#src/search/recent-postings.ts';

/** Well below the platform's 2 MB a value. */
const BATCH_BYTES = 1_000_000;

/** One staging call's chunks: their local ids, and their postings as they came. */
export function insertRecentBatch(sql: SqlStorage, chunks: (TermCounts & { local: number })[]): void {
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

/** Local ids in no code segment, those of chunks that were deleted since among them. */
export function recentLocals(sql: SqlStorage): number[] {
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
