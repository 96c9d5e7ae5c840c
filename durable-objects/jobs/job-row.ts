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
   * Id of the process that last sent the job's message, or in which a worker last claimed or renewed the job.
   * If the process has changed since, the message or the worker may be lost. Empty while the job waits for a
   * retry.
   */
  runtime: string;
  step: string | null;
  failure: string | null;
  /** Whether the job's final status is written to the database. */
  settled: number;
  /** Project whose intake must be notified when the job ends. `null` if none waits or it was notified. */
  waiter: string | null;
}

let runtime: string | undefined;
/**
 * Returns the id of this process. The single-machine server keeps its queue in memory, so a new id means that
 * queued messages are lost.
 */
export const runtimeId = () => {
  runtime ??= crypto.randomUUID();
  return runtime;
};

export const isOver = (row: JobRow) => row.phase !== 'waiting' && row.phase !== 'claimed';
export const holds = (row: JobRow, consumer: string) => row.phase === 'claimed' && row.consumer === consumer;
/**
 * Returns whether the job can be claimed. A claimed job is included, because its worker may have fallen
 * silent. The alarm ends jobs with too many starts or failures.
 */
export const isFree = (row: JobRow, now: number) =>
  row.phase === 'waiting' ? row.notBefore <= now : row.phase === 'claimed' && row.starts < MAX_STARTS;
/** Whether all attempts are used up. Starts that never ended are counted separately. */
export const isExhausted = ({ attempt, lost, attempts }: JobRow) => attempt - lost >= attempts;
