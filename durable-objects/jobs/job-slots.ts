import type { JobKind } from '#src/work/job-owner.ts';

interface RunningJobRow extends Record<string, SqlStorageValue> {
  jobId: string;
  kind: JobKind;
}

export const RUNNING_JOBS_TABLE =
  'create table if not exists working (jobId text primary key, kind text not null)';

/** Slots for the concurrent jobs of a project. Each running job takes one slot, up to the project's limit. */
export class JobSlots {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Takes a slot for the job. Returns false if all slots are taken. A job that already holds a slot keeps it.
   */
  admit(kind: JobKind, jobId: string, limit: number): boolean {
    if (this.has(jobId)) return true;
    if (this.count() >= limit) return false;
    this.#sql.exec('insert into working (jobId, kind) values (?, ?)', jobId, kind);
    return true;
  }

  has(jobId: string): boolean {
    return this.#sql.exec('select 1 from working where jobId = ?', jobId).toArray().length > 0;
  }

  release(jobId: string): void {
    this.#sql.exec('delete from working where jobId = ?', jobId);
  }

  count(): number {
    return this.#sql.exec<{ n: number }>('select count(*) as n from working').one().n;
  }

  list(): RunningJobRow[] {
    return this.#sql.exec<RunningJobRow>('select * from working').toArray();
  }
}
