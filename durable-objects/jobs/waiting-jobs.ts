import { PRIORITIES, type Priority } from '#src/work/job-owner.ts';
import { TURNS } from './job-line.ts';

/**
 * When a job that waits is looked at although nobody has let it in. It is refused again then, or found to be over;
 * release 0.1.0, which knows of no waiting, hands it over.
 */
const LOOK_MS = 10 * 60_000;
/** The look of a job that has been let in: at once, and before all others. */
const NOW = 0;

interface Waiting extends Record<string, SqlStorageValue> {
  jobId: string;
}

/** Those of a project's announced jobs that wait until others have ended. */
export class WaitingJobs {
  readonly #sql: SqlStorage;
  #turns = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** At its place by priority and announcement, also when it had been let in. */
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

  /** Those that come first by priority are looked at next, and every so many turns whoever has waited longest. */
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
