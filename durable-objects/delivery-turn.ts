/** A worker that delivers has to show itself within that; each attempt may take 30 s. Milliseconds. */
const LEASE_MS = 60_000;

interface Row extends Record<string, SqlStorageValue> {
  jobId: string;
  /** When deliveries are to be made next; null: none are left. */
  dueAt: number | null;
  consumer: string | null;
  leaseUntil: number;
  /** Something was added while a worker was at it. */
  more: number;
}

/** Whose turn it is to deliver a job's webhooks, and when the next turn is. */
export class DeliveryTurn {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`create table if not exists delivery (
      id integer primary key check (id = 1), jobId text not null, dueAt integer, consumer text,
      leaseUntil integer not null default 0, more integer not null default 0)`);
  }

  get row(): Row | undefined {
    return this.#sql.exec<Row>('select * from delivery').toArray()[0];
  }

  add(jobId: string, now: number): void {
    this.#sql.exec(
      `insert into delivery (id, jobId, dueAt) values (1, ?, ?)
       on conflict (id) do update set more = 1, dueAt = min(ifnull(dueAt, excluded.dueAt), excluded.dueAt)`,
      jobId,
      now,
    );
  }

  /** Whether the worker has the turn, now or still. */
  claim(consumer: string, now: number): boolean {
    const row = this.row;
    if (!row || row.dueAt === null) return false;
    if (row.consumer !== null && row.consumer !== consumer && row.leaseUntil > now) return false;
    const more = row.consumer === consumer ? row.more : 0;
    const leaseUntil = now + LEASE_MS;
    this.#sql.exec('update delivery set consumer = ?, leaseUntil = ?, more = ?', consumer, leaseUntil, more);
    return true;
  }

  /** True: what was added in the meantime is due at once. */
  release(consumer: string, nextAt: number | null, now: number): boolean {
    const row = this.row;
    if (row?.consumer !== consumer) return false;
    const again = row.more === 1;
    this.#sql.exec(
      'update delivery set consumer = null, leaseUntil = 0, more = 0, dueAt = ?',
      again ? now : nextAt,
    );
    return again;
  }

  /** The job whose deliveries are due and in nobody's hands; they are taken for sent until `resendAt`. */
  takeDue(now: number, resendAt: number): string | undefined {
    const row = this.row;
    if (!row || row.dueAt === null || row.dueAt > now || row.leaseUntil > now) return undefined;
    this.#sql.exec('update delivery set dueAt = ?', resendAt);
    return row.jobId;
  }

  /** When to look again; undefined: nothing is left. */
  wakeAt(): number | undefined {
    const row = this.row;
    if (!row || row.dueAt === null) return undefined;
    return Math.max(row.dueAt, row.leaseUntil);
  }
}
