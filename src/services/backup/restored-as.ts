import type { RestoreRule } from '#src/db/ownership/entry.ts';

/** A row as the database has it: its columns by their names in SQL. */
export type Row = Record<string, string | number | null>;

const now = () => Date.now();

/**
 * What becomes of rows that speak of work under way when they were read, or of an index, which is built anew. Of
 * all else a row is restored as it was.
 */
export const restoredAs = {
  /** In no index yet: the sync that builds it tells what comes of each. Failures stay, and are not tried again. */
  pipelineMember: (row: Row): Row =>
    row.status === 'SUCCESS' || row.status === 'IN_PROGRESS'
      ? { ...row, status: 'NOT_STARTED', job_id: null, chunk_count: null }
      : row,

  pipelineDataSource: (row: Row): Row =>
    row.status === 'IN_PROGRESS' ? { ...row, status: 'NOT_STARTED', job_id: null } : row,

  /** Another run follows it, which builds the index. */
  syncRun: (row: Row): Row =>
    row.finished_at === null ? { ...row, status: 'CANCELLED', finished_at: now() } : row,

  /** Begun anew, its attempts as well; `isHeld`: not at all. */
  job: (row: Row, isHeld: boolean): Row => {
    if (row.status !== 'PENDING' && row.status !== 'RUNNING') return row;
    if (!isHeld) return { ...row, status: 'PENDING', attempt: 0, started_at: null };
    const error_message = 'It was not done when the backup was made that it was restored from.';
    return { ...row, status: 'CANCELLED', error_message, finished_at: now() };
  },

  /** Whether it arrived nobody knows any more: somebody decides whether it is sent again. */
  webhookDelivery: (row: Row): Row =>
    row.status === 'pending'
      ? {
          ...row,
          status: 'dead',
          last_error: 'It was pending in the backup that it was restored from. A replay sends it.',
          next_attempt_at: null,
        }
      : row,
} satisfies Record<RestoreRule, (row: Row, isHeld: boolean) => Row>;
