import { PRIORITIES, type Priority } from '#src/work/job-owner.ts';

/** Every fourth message starts the job that has waited longest, so that low priorities are not starved. */
export const PRIORITY_TURNS = 4;
/**
 * Time in milliseconds after which a queued job is removed from the table. The job has certainly ended by
 * then, even if its message was lost.
 */
const FORGET_AFTER_MS = 24 * 3_600_000;

interface QueuedJobRow extends Record<string, SqlStorageValue> {
  jobId: string;
  /** 1 while the job's own message is still in the queue, otherwise 0. */
  isSent: number;
  /** 1 if the message of another job has already started this job, otherwise 0. */
  isServed: number;
}

export const QUEUED_JOBS_TABLE = `create table if not exists line (
  place integer primary key autoincrement, jobId text not null unique, rank integer not null,
  queuedAt integer not null, isSent integer not null default 1, isServed integer not null default 0)`;

/**
 * Jobs of a project whose messages are in the queue and that no worker has started. A job is added before its
 * message is sent. The queue delivers in arbitrary order, so each message starts the job with the highest
 * priority instead of its own job.
 * A job that another job's message started stays in the table until its own message arrives. That message
 * then starts another waiting job.
 */
export class QueuedJobs {
  readonly #sql: SqlStorage;
  #turns = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(jobId: string, priority: Priority, now: number): void {
    this.#sql.exec('delete from line where queuedAt < ?', now - FORGET_AFTER_MS);
    this.#sql.exec(
      'insert or ignore into line (jobId, rank, queuedAt) values (?, ?, ?)',
      ...[jobId, PRIORITIES.indexOf(priority), now],
    );
  }

  /**
   * Returns the id of the job to run when the message of `jobId` arrives. Returns `undefined` if no job is
   * left.
   */
  take(jobId: string): string | undefined {
    const [own] = this.#sql.exec<QueuedJobRow>('select * from line where jobId = ?', jobId).toArray();
    // The job has left the table because it was already started, so the message is for another attempt of the
    // same job.
    if (!own) return jobId;
    if (own.isServed) this.#remove(jobId);
    else this.#sql.exec('update line set isSent = 0 where jobId = ?', jobId);
    this.#turns += 1;
    const order = this.#turns % PRIORITY_TURNS === 0 ? 'place' : 'rank, place';
    const [next] = this.#sql
      .exec<QueuedJobRow>(`select * from line where isServed = 0 order by ${order} limit 1`)
      .toArray();
    if (next?.isSent) this.#sql.exec('update line set isServed = 1 where jobId = ?', next.jobId);
    else if (next) this.#remove(next.jobId);
    return next?.jobId;
  }

  #remove(jobId: string): void {
    this.#sql.exec('delete from line where jobId = ?', jobId);
  }
}
