import { MAX_STARTS } from '#src/work/backoff.ts';
import type { JobKind, JobPhase } from '#src/work/job-owner.ts';
import type { Lease } from '#src/work/lease.ts';

/** Stored state of a job's owner. */
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
  /** Process that sent the job's message or released the job. After a restart both may be lost. */
  runtime: string;
  step: string | null;
  failure: string | null;
  /** Whether the end is written in the database. */
  settled: number;
  /** Project whose intake waits for the end; null if none does or it was notified. */
  waiter: string | null;
}

let runtime: string | undefined;
/** Returns the id of this process. Queued messages of the single-machine server are lost with it. */
export const runtimeId = () => {
  runtime ??= crypto.randomUUID();
  return runtime;
};

export const isOver = (row: JobRow) => row.phase !== 'waiting' && row.phase !== 'claimed';
export const holds = (row: JobRow, consumer: string) => row.phase === 'claimed' && row.consumer === consumer;
/**
 * Returns whether the job can be claimed. Jobs of silent workers can; jobs with too many starts or failures
 * are ended by the alarm.
 */
export const isFree = (row: JobRow, now: number) =>
  row.phase === 'waiting' ? row.notBefore <= now : row.phase === 'claimed' && row.starts < MAX_STARTS;
/** Starts that never ended are counted apart. */
export const isExhausted = ({ attempt, lost, attempts }: JobRow) => attempt - lost >= attempts;
