import type { JobKind } from '#src/work/job-owner.ts';

interface Working extends Record<string, SqlStorageValue> {
  jobId: string;
  kind: JobKind;
}

export const WORKING_TABLE =
  'create table if not exists working (jobId text primary key, kind text not null)';

/** Concurrency slots of a project. Each running job holds one, up to a limit. */
export class JobRoom {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Returns whether the job may start. An admitted job keeps its slot until it ends. */
  admit(kind: JobKind, jobId: string, most: number): boolean {
    if (this.has(jobId)) return true;
    if (this.size() >= most) return false;
    this.#sql.exec('insert into working (jobId, kind) values (?, ?)', jobId, kind);
    return true;
  }

  has(jobId: string): boolean {
    return this.#sql.exec('select 1 from working where jobId = ?', jobId).toArray().length > 0;
  }

  leave(jobId: string): void {
    this.#sql.exec('delete from working where jobId = ?', jobId);
  }

  size(): number {
    return this.#sql.exec<{ n: number }>('select count(*) as n from working').one().n;
  }

  all(): Working[] {
    return this.#sql.exec<Working>('select * from working').toArray();
  }
}
