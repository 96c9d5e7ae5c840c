import { PRIORITIES, type Priority } from '#src/work/job-owner.ts';
import { TURNS } from './job-line.ts';

/**
 * Milliseconds after which a waiting job is examined even if it was not admitted. The job is then refused
 * again, or found to have ended. After a rollback to release 0.1.0, which has no waiting jobs, this hands the
 * job over.
 */
const LOOK_MS = 10 * 60_000;
/** Due time that marks an admitted job. It sorts before all other due times. */
const NOW = 0;

interface Waiting extends Record<string, SqlStorageValue> {
  jobId: string;
}

/** Announced jobs of a project that wait for a free slot. */
export class WaitingJobs {
  readonly #sql: SqlStorage;
  #turns = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds a job in order of priority and announcement, even if it was admitted before. */
  add(jobId: string, priority: Priority, now: number): void {
    this.#sql.exec(
      'update announced set waits = 1, rank = ?, lookAt = ? where jobId = ?',
      ...[PRIORITIES.indexOf(priority), now + LOOK_MS, jobId],
    );
  }

  has(jobId: string): boolean {
    return this.#sql.exec('select 1 from announced where jobId = ? and waits', jobId).toArray().length > 0;
  }

  isEmpty(): boolean {
    return this.#sql.exec('select 1 from announced where waits limit 1').toArray().length === 0;
  }

  /** Admits jobs by priority. Every few turns, the job that has waited longest is admitted instead. */
  letIn(most: number): number {
    const inside = this.#sql
      .exec<{ n: number }>('select count(*) as n from announced where waits and lookAt = ?', NOW)
      .one().n;
    const free = most - inside;
    if (free <= 0) return 0;
    const first = this.#first('rank, announcedAt', free);
    const oldest = this.#first('announcedAt', free);
    const chosen = new Set<string>();
    while (chosen.size < first.length) {
      this.#turns += 1;
      const order = this.#turns % TURNS === 0 ? oldest : first;
      chosen.add(order.find((jobId) => !chosen.has(jobId))!);
    }
    for (const jobId of chosen) {
      this.#sql.exec('update announced set lookAt = ? where jobId = ?', NOW, jobId);
    }
    return chosen.size;
  }

  #first(order: string, count: number): string[] {
    return this.#sql
      .exec<Waiting>(
        `select jobId from announced where waits and lookAt <> ? order by ${order}, jobId limit ?`,
        ...[NOW, count],
      )
      .toArray()
      .map(({ jobId }) => jobId);
  }
}

export const isLetIn = ({ waits, lookAt }: { waits: number; lookAt: number }): boolean =>
  waits === 1 && lookAt === NOW;
