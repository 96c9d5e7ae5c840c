import { MAX_STARTS } from '#src/work/backoff.ts';
import type { JobKind, JobPhase } from '#src/work/job-owner.ts';
import type { Lease } from '#src/work/lease.ts';

/** What the owner of a job keeps of it. */
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
  /** The runtime that sent the job's message, or gave the job away: another one may have lost both. */
  runtime: string;
  step: string | null;
  failure: string | null;
  /** Whether the end is written in the database. */
  settled: number;
  /** The project whose intake waits for the end; null: none does, or it has been told. */
  waiter: string | null;
}

let runtime: string | undefined;
/** Names this process: queues may lose their messages with it. */
export const runtimeId = () => {
  runtime ??= crypto.randomUUID();
  return runtime;
};

export const isOver = (row: JobRow) => row.phase !== 'waiting' && row.phase !== 'claimed';
export const holds = (row: JobRow, consumer: string) => row.phase === 'claimed' && row.consumer === consumer;
/** A worker that fell silent has lost it; what was started too often or failed too often the alarm ends. */
export const isFree = (row: JobRow, now: number) =>
  row.phase === 'waiting' ? row.notBefore <= now : row.phase === 'claimed' && row.starts < MAX_STARTS;
/** Starts that never ended are counted apart. */
export const isExhausted = ({ attempt, lost, attempts }: JobRow) => attempt - lost >= attempts;
