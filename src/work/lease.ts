/** Time in milliseconds without a heartbeat after which a consumer counts as dead. */
export const LEASE_MS = 30_000;
export const HEARTBEAT_MS = 3_000;
/**
 * Time in milliseconds within which consumers must send a heartbeat after the owner of their work was
 * restarted.
 */
export const LEASE_AFTER_RESTART_MS = 7_000;

/** SQL columns of a lease, for the table in which an owner stores its work. */
export const LEASE_COLUMNS = `consumer text, leaseUntil integer not null default 0,
  starts integer not null default 0, lost integer not null default 0`;

export interface Lease {
  /** Consumer that holds the work. `null` if no consumer holds it. */
  consumer: string | null;
  /** Time at which the lease expires, in milliseconds since 1970. Another consumer may then take the work. */
  leaseUntil: number;
  /** Number of successive starts of the work that have not ended, including the current one. */
  starts: number;
  /** Total number of starts of the work that never ended. */
  lost: number;
}

/**
 * Assigns pieces of an owner's work to consumers. A consumer keeps its piece as long as its heartbeats
 * arrive. Each start is stored before the consumer begins, so that work which crashes its process is counted
 * too. Callers pass all times in milliseconds since 1970.
 */
export class Leases {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #held: string;

  /**
   * Creates leases for a table that has the LEASE_COLUMNS and an `id`. `held` is the SQL condition of the
   * index that finds held rows.
   */
  constructor(sql: SqlStorage, table: 'item' | 'job' | 'delivery', held = 'consumer is not null') {
    this.#sql = sql;
    this.#table = table;
    this.#held = held;
  }

  /** Gives the work to the consumer and counts the start. Returns false if another consumer holds it. */
  claim(id: string | number, consumer: string, now: number): boolean {
    return this.#changes(
      `lost = lost + (consumer is not null), consumer = ?, leaseUntil = ?, starts = starts + 1
       where id = ? and (consumer is null or leaseUntil <= ?)`,
      ...[consumer, now + LEASE_MS, id, now],
    );
  }

  /**
   * Gives several pieces of work to the consumer and counts their starts. Returns the ids of those that no other
   * consumer holds.
   */
  claimMany(ids: readonly string[], consumer: string, now: number): string[] {
    return this.#sql
      .exec<{ id: string }>(
        `update ${this.#table} set lost = lost + (consumer is not null), consumer = ?, leaseUntil = ?,
           starts = starts + 1
         where id in (select value from json_each(?)) and (consumer is null or leaseUntil <= ?) returning id`,
        ...[consumer, now + LEASE_MS, JSON.stringify(ids), now],
      )
      .toArray()
      .map(({ id }) => id);
  }

  /** Renews the lease. Returns false if the consumer no longer holds the work. */
  renew(id: string | number, consumer: string, now: number): boolean {
    return this.#changes('leaseUntil = ? where id = ? and consumer = ?', now + LEASE_MS, id, consumer);
  }

  /** Ends the lease after the consumer has reported a result. Resets the number of starts to 0. */
  end(id: string | number): void {
    this.#changes('consumer = null, leaseUntil = 0, starts = 0 where id = ?', id);
  }

  /** Takes the work back from a consumer that sends no heartbeats. The start of the work stays counted. */
  takeBack(id: string | number): void {
    this.#changes('consumer = null, leaseUntil = 0, lost = lost + 1 where id = ?', id);
  }

  /** Returns the ids of the work whose lease has expired, grouped by consumer. */
  expired(now: number): string[][] {
    const lost = new Map<unknown, string[]>();
    const rows = this.#sql.exec(
      `select id, consumer from ${this.#table} where ${this.#held} and leaseUntil <= ? order by rowid`,
      now,
    );
    for (const { id, consumer } of rows) lost.set(consumer, [...(lost.get(consumer) ?? []), String(id)]);
    return [...lost.values()];
  }

  /**
   * Shortens all leases after a restart of the owner. Consumers that are still running send a heartbeat soon,
   * and the others lose their work earlier.
   */
  shorten(now: number): void {
    const until = now + LEASE_AFTER_RESTART_MS;
    this.#changes(`leaseUntil = min(leaseUntil, ?) where ${this.#held}`, until);
  }

  #changes(assignments: string, ...values: SqlStorageValue[]): boolean {
    return this.#sql.exec(`update ${this.#table} set ${assignments}`, ...values).rowsWritten > 0;
  }
}
