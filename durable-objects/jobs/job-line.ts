import { PRIORITIES, type Priority } from '#src/work/job-owner.ts';

/** Every so many turns go to whoever waits longest, so that no priority starves another one. */
export const TURNS = 4;
/** By then an owner has given its job up, whatever became of the message. */
const FORGET_AFTER_MS = 24 * 3_600_000;

interface Place extends Record<string, SqlStorageValue> {
  jobId: string;
  /** Whether the job's own message is still to come. */
  isSent: number;
  /** Whether another job's message has brought the job its turn. */
  isServed: number;
}

export const LINE_TABLE = `create table if not exists line (
  place integer primary key autoincrement, jobId text not null unique, rank integer not null,
  queuedAt integer not null, isSent integer not null default 1, isServed integer not null default 0)`;

/**
 * Jobs of a project whose messages have been sent and that nobody has taken up yet. A queue delivers in its own order,
 * so a message that arrives is a turn, which goes to the job that comes first by priority. A job whose turn came with
 * another one's message stays here until its own has come, which is then the turn of whoever waits.
 */
export class JobLine {
  readonly #sql: SqlStorage;
  #turns = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Before the job's message is sent. */
  add(jobId: string, priority: Priority, now: number): void {
    this.#sql.exec('delete from line where queuedAt < ?', now - FORGET_AFTER_MS);
    this.#sql.exec(
      'insert or ignore into line (jobId, rank, queuedAt) values (?, ?, ?)',
      ...[jobId, PRIORITIES.indexOf(priority), now],
    );
  }

  /** The job whose turn it is now that this one's message has come; undefined when none is left. */
  take(jobId: string): string | undefined {
    const [own] = this.#sql.exec<Place>('select * from line where jobId = ?', jobId).toArray();
    // It has had its turn: what comes now is a message for another attempt.
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
