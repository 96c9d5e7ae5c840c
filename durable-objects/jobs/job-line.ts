import { PRIORITIES, type Priority } from '#src/work/job-owner.ts';

/** Every fourth turn goes to the job that has waited longest, so no priority starves another. */
export const TURNS = 4;
/** Milliseconds after which the owner has certainly ended its job, even if the message was lost. */
const FORGET_AFTER_MS = 24 * 3_600_000;

interface Place extends Record<string, SqlStorageValue> {
  jobId: string;
  /** Whether the job's own message is still to come. */
  isSent: number;
  /** Whether another job's message has already started this job. */
  isServed: number;
}

export const LINE_TABLE = `create table if not exists line (
  place integer primary key autoincrement, jobId text not null unique, rank integer not null,
  queuedAt integer not null, isSent integer not null default 1, isServed integer not null default 0)`;

/**
 * Jobs of a project whose messages are in the queue and that no worker has started. A job is added before its
 * message is sent. A queue delivers in its own order, so each message starts the job with the highest
 * priority instead of its own.
 * A job started by another job's message stays here until its own message arrives. That message then starts a
 * waiting job.
 */
export class JobLine {
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

  /** Returns the job to run when this job's message arrives. Returns `undefined` if none is left. */
  take(jobId: string): string | undefined {
    const [own] = this.#sql.exec<Place>('select * from line where jobId = ?', jobId).toArray();
    // The job was already started, so this message requests another attempt.
    if (!own) return jobId;
    if (own.isServed) this.#remove(jobId);
    else this.#sql.exec('update line set isSent = 0 where jobId = ?', jobId);
    this.#turns += 1;
    const order = this.#turns % TURNS === 0 ? 'place' : 'rank, place';
    const [next] = this.#sql
      .exec<Place>(`select * from line where isServed = 0 order by ${order} limit 1`)
      .toArray();
    if (next?.isSent) this.#sql.exec('update line set isServed = 1 where jobId = ?', next.jobId);
    else if (next) this.#remove(next.jobId);
    return next?.jobId;
  }

  #remove(jobId: string): void {
    this.#sql.exec('delete from line where jobId = ?', jobId);
  }
}
