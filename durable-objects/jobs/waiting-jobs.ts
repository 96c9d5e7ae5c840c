import { PRIORITIES, type Priority } from '#src/work/job-owner.ts';
import { PRIORITY_TURNS } from './queued-jobs.ts';

/**
 * Time in milliseconds after which a waiting job is looked up again, because it may have ended in the
 * meantime. After a rollback to release 0.1.0, which has no waiting list, this check passes the job to its
 * owner.
 */
const RECHECK_MS = 10 * 60_000;
/**
 * Value of the column `lookAt` for an admitted job. It is lower than any real time, so admitted jobs come
 * first.
 */
const ADMITTED = 0;

interface WaitingRow extends Record<string, SqlStorageValue> {
  jobId: string;
}

/** Jobs of a project that were announced and wait for a free slot. */
export class WaitingJobs {
  readonly #sql: SqlStorage;
  #turns = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Marks a job as waiting, with its priority. A job that was already admitted has to wait again. */
  add(jobId: string, priority: Priority, now: number): void {
    this.#sql.exec(
      'update announced set waits = 1, rank = ?, lookAt = ? where jobId = ?',
      ...[PRIORITIES.indexOf(priority), now + RECHECK_MS, jobId],
    );
  }

  has(jobId: string): boolean {
    return this.#sql.exec('select 1 from announced where jobId = ? and waits', jobId).toArray().length > 0;
  }

  isEmpty(): boolean {
    return this.#sql.exec('select 1 from announced where waits limit 1').toArray().length === 0;
  }

  /**
   * Admits waiting jobs until `limit` jobs are admitted. Returns the number of newly admitted jobs. Jobs with
   * the highest priority come first, but every fourth time the job that has waited longest.
   */
  admitNext(limit: number): number {
    const admitted = this.#sql
      .exec<{ n: number }>('select count(*) as n from announced where waits and lookAt = ?', ADMITTED)
      .one().n;
    const free = limit - admitted;
    if (free <= 0) return 0;
    const first = this.#listFirst('rank, announcedAt', free);
    const oldest = this.#listFirst('announcedAt', free);
    const chosen = new Set<string>();
    while (chosen.size < first.length) {
      this.#turns += 1;
      const order = this.#turns % PRIORITY_TURNS === 0 ? oldest : first;
      chosen.add(order.find((jobId) => !chosen.has(jobId))!);
    }
    for (const jobId of chosen) {
      this.#sql.exec('update announced set lookAt = ? where jobId = ?', ADMITTED, jobId);
    }
    return chosen.size;
  }

  #listFirst(order: string, count: number): string[] {
    return this.#sql
      .exec<WaitingRow>(
        `select jobId from announced where waits and lookAt <> ? order by ${order}, jobId limit ?`,
        ...[ADMITTED, count],
      )
      .toArray()
      .map(({ jobId }) => jobId);
  }
}

export const isAdmitted = ({ waits, lookAt }: { waits: number; lookAt: number }): boolean =>
  waits === 1 && lookAt === ADMITTED;
