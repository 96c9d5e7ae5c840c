import type { RestoreRule } from '#src/db/ownership/entry.ts';

/** Row of a database table, by column name. */
export type Row = Record<string, string | number | null>;

const now = () => Date.now();

/**
 * Changes to rows of unfinished work and of indexes, which have to be rebuilt after a restore. All other rows
 * are restored unchanged.
 */
export const RESTORE_RULES = {
  /**
   * Resets the status of an indexed file, because no index contains the file yet. The next sync sets it
   * again. Failed files stay failed and are not retried.
   */
  pipelineMember: (row: Row): Row =>
    row.status === 'SUCCESS' || row.status === 'IN_PROGRESS'
      ? { ...row, status: 'NOT_STARTED', job_id: null, chunk_count: null }
      : row,

  pipelineDataSource: (row: Row): Row =>
    row.status === 'IN_PROGRESS' ? { ...row, status: 'NOT_STARTED', job_id: null } : row,

  /** The restore starts a new run, which builds the index. */
  syncRun: (row: Row): Row =>
    row.finished_at === null ? { ...row, status: 'CANCELLED', finished_at: now() } : row,

  /**
   * Resets an unfinished job, so that it starts again with all of its attempts. With `isHeld`, the job is
   * cancelled instead.
   */
  job: (row: Row, isHeld: boolean): Row => {
    if (row.status !== 'PENDING' && row.status !== 'RUNNING') return row;
    if (!isHeld) return { ...row, status: 'PENDING', attempt: 0, started_at: null };
    const error_message = 'The job had not finished when the backup was made. Create the job again.';
    return { ...row, status: 'CANCELLED', error_message, finished_at: now() };
  },

  /** Unfinished runs are cancelled, because the restored index has to be built first. */
  evaluationRun: (row: Row): Row => {
    if (row.status !== 'PENDING' && row.status !== 'RUNNING') return row;
    const error_message = 'The run had not finished when the backup was made. Start another run.';
    const ended = { status: 'CANCELLED', error_message, finished_at: now() };
    return { ...row, ...ended, consumer: null, lease_until: null };
  },

  /**
   * It is unknown whether a pending webhook delivery arrived before the backup. A user decides whether to
   * send it again.
   */
  webhookDelivery: (row: Row): Row =>
    row.status === 'pending'
      ? {
          ...row,
          status: 'dead',
          last_error: 'The delivery was pending when the backup was made. Replay it to send it.',
          next_attempt_at: null,
        }
      : row,
} satisfies Record<RestoreRule, (row: Row, isHeld: boolean) => Row>;
