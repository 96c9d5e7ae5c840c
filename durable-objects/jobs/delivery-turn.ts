import { type Lease, Leases } from '#src/work/lease.ts';

const ID = 1;

interface Row extends Lease, Record<string, SqlStorageValue> {
  jobId: string;
  /** Time of the next webhook delivery in milliseconds since 1970. `null` if no delivery is left. */
  dueAt: number | null;
  consumer: string | null;
  leaseUntil: number;
  starts: number;
  lost: number;
  /** 1 if deliveries were added while a worker had claimed the deliveries, otherwise 0. */
  more: number;
}

/**
 * Assigns the webhook deliveries of a job to one worker at a time, and stores when the next delivery is due.
 */
export class DeliveryTurn {
  readonly #sql: SqlStorage;
  readonly #leases: Leases;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#leases = new Leases(sql, 'delivery');
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

  /**
   * Claims the deliveries for a worker, or renews its claim. Returns false if another worker holds the claim
   * or nothing is left to deliver.
   */
  claim(consumer: string, now: number): boolean {
    const row = this.row;
    if (!row || row.dueAt === null) return false;
    if (row.consumer === consumer) return this.#leases.renew(ID, consumer, now);
    if (!this.#leases.claim(ID, consumer, now)) return false;
    this.#sql.exec('update delivery set more = 0');
    return true;
  }

  /**
   * Counts the start of a webhook delivery. Returns how many starts had no result, including this one.
   * Returns `undefined` if the worker has lost its claim.
   */
  start(consumer: string, deliveryId: string, now: number): number | undefined {
    if (!this.#leases.renew(ID, consumer, now)) return undefined;
    return this.#sql
      .exec<{ starts: number }>(
        `insert into started (deliveryId, starts) values (?, 1)
         on conflict (deliveryId) do update set starts = starts + 1 returning starts`,
        deliveryId,
      )
      .one().starts;
  }

  /**
   * Ends the worker's claim. Returns true if more deliveries were added during the claim, which are due
   * immediately.
   */
  release(consumer: string, nextAt: number | null, now: number): boolean {
    const row = this.row;
    if (row?.consumer !== consumer) return false;
    const again = row.more === 1;
    this.#leases.end(ID);
    this.#sql.exec('delete from started');
    this.#sql.exec('update delivery set more = 0, dueAt = ?', again ? now : nextAt);
    return again;
  }

  /**
   * Returns the id of the job if deliveries are due and no worker has claimed them. They are not due again
   * until `resendAt`. Otherwise returns `undefined`.
   */
  takeDue(now: number, resendAt: number): string | undefined {
    const row = this.row;
    if (!row || row.dueAt === null || row.dueAt > now || row.leaseUntil > now) return undefined;
    this.#sql.exec('update delivery set dueAt = ?', resendAt);
    return row.jobId;
  }

  /**
   * Returns the time of the next check for due deliveries, in milliseconds since 1970. Returns `undefined` if
   * no delivery is left.
   */
  wakeAt(): number | undefined {
    const row = this.row;
    if (!row || row.dueAt === null) return undefined;
    return Math.max(row.dueAt, row.leaseUntil);
  }
}
