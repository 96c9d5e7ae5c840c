import type { RestoreRule } from '#src/db/ownership/entry.ts';

/** A row with its SQL column names. */
export type Row = Record<string, string | number | null>;

const now = () => Date.now();

/**
 * How rows change on restore if they describe unfinished work or an index, which is built again. All other
 * rows are restored unchanged.
 */
export const restoredAs = {
  /** The file is in no index yet; the sync sets its status. Failed files stay failed and are not retried. */
  pipelineMember: (row: Row): Row =>
    row.status === 'SUCCESS' || row.status === 'IN_PROGRESS'
      ? { ...row, status: 'NOT_STARTED', job_id: null, chunk_count: null }
      : row,

  pipelineDataSource: (row: Row): Row =>
    row.status === 'IN_PROGRESS' ? { ...row, status: 'NOT_STARTED', job_id: null } : row,

  /** A new run follows and builds the index. */
  syncRun: (row: Row): Row =>
    row.finished_at === null ? { ...row, status: 'CANCELLED', finished_at: now() } : row,

  /** Starts the job again with all its attempts. With `isHeld` it is not started. */
  job: (row: Row, isHeld: boolean): Row => {
    if (row.status !== 'PENDING' && row.status !== 'RUNNING') return row;
    if (!isHeld) return { ...row, status: 'PENDING', attempt: 0, started_at: null };
    const error_message = 'It was not done when the backup was made that it was restored from.';
    return { ...row, status: 'CANCELLED', error_message, finished_at: now() };
  },

  /** It is unknown whether the delivery arrived, so a person decides whether to send it again. */
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
