import { MAX_STARTS } from '#src/work/backoff.ts';
import type { JobKind, JobPhase } from '#src/work/job-owner.ts';
import type { Lease } from '#src/work/lease.ts';

export interface JobRow extends Lease, Record<string, SqlStorageValue> {
  kind: JobKind;
  jobId: string;
  phase: JobPhase;
  attempt: number;
  attempts: number;
  timeoutMs: number;
  openedAt: number;
  consumer: string | null;
  leaseUntil: number;
  starts: number;
  lost: number;
  deadline: number;
  notBefore: number;
  sentAt: number;
  /**
   * Id of the process that last sent the job's message, or in which a worker last claimed the job or renewed
   * its claim. If another process runs now, the message or worker may be lost. Empty while the job waits for
   * a retry.
   */
  runtime: string;
  step: string | null;
  failure: string | null;
  /** 1 once the job's final status is written to the database, otherwise 0. */
  settled: number;
  /**
   * Id of the project whose intake must be notified when the job ends. `null` if no notification is needed
   * any more.
   */
  waiter: string | null;
}

let runtime: string | undefined;
/**
 * Returns an id that identifies this process. The single-machine server keeps its queue in memory, so queued
 * messages are lost when the id changes.
 */
export const getRuntimeId = () => {
  runtime ??= crypto.randomUUID();
  return runtime;
};

export const isOver = (row: JobRow) => row.phase !== 'waiting' && row.phase !== 'claimed';
export const isHeldBy = (row: JobRow, consumer: string) =>
  row.phase === 'claimed' && row.consumer === consumer;
/**
 * Returns true if a worker may try to claim the job. Claimed jobs are included, because their worker may have
 * stopped responding. Jobs with too many starts are excluded, and the alarm fails them.
 */
export const isClaimable = (row: JobRow, now: number) =>
  row.phase === 'waiting' ? row.notBefore <= now : row.phase === 'claimed' && row.starts < MAX_STARTS;
/**
 * Returns true if all attempts of the job are used up. Starts that ended without a result are not counted as
 * attempts.
 */
export const isExhausted = ({ attempt, lost, attempts }: JobRow) => attempt - lost >= attempts;
