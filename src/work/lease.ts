/** Milliseconds without a heartbeat after which a consumer counts as dead. */
export const LEASE_MS = 30_000;
/** Milliseconds between two heartbeats. */
export const HEARTBEAT_MS = 3_000;
/** Milliseconds within which consumers must send a heartbeat after the owner was restarted. */
export const LEASE_AFTER_RESTART_MS = 7_000;

/** Columns of a lease, for the table in which an owner keeps its work. */
export const LEASE_COLUMNS = `consumer text, leaseUntil integer not null default 0,
  starts integer not null default 0, lost integer not null default 0`;

/** Lease columns of a row. */
export interface Lease {
  /** Consumer that holds the work, or null. */
  consumer: string | null;
  /**
   * Time at which the lease expires, in milliseconds since 1970. Afterwards another consumer may take the
   * work.
   */
  leaseUntil: number;
  /** Number of starts in a row that have not ended, including the current one. */
  starts: number;
  /** Total number of starts that never ended. */
  lost: number;
}

/**
 * Assigns pieces of an owner's work to consumers. A piece belongs to one consumer as long as its heartbeats
 * arrive. A start is stored before the consumer is told that it has the work, so that work that crashes its
 * process is counted too. Callers pass all times, in milliseconds since 1970.
 */
export class Leases {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #held: string;

  /**
   * Creates leases over a table that has the LEASE_COLUMNS and an `id`. `held` is the condition by which an
   * index finds held rows.
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

  /** Renews the lease. Returns false if the consumer no longer holds the work. */
  renew(id: string | number, consumer: string, now: number): boolean {
    return this.#changes('leaseUntil = ? where id = ? and consumer = ?', now + LEASE_MS, id, consumer);
  }

  /** Ends the lease after the consumer reported a result, and resets the count of starts. */
  end(id: string | number): void {
    this.#changes('consumer = null, leaseUntil = 0, starts = 0 where id = ?', id);
  }

  /** Takes the work back from a consumer without heartbeats. Its start stays counted. */
  takeBack(id: string | number): void {
    this.#changes('consumer = null, leaseUntil = 0, lost = lost + 1 where id = ?', id);
  }

  /** Returns the work whose lease has expired, grouped by consumer. */
  expired(now: number): string[][] {
    const lost = new Map<unknown, string[]>();
    const rows = this.#sql.exec(
      `select id, consumer from ${this.#table} where ${this.#held} and leaseUntil <= ? order by rowid`,
      now,
    );
    for (const { id, consumer } of rows) lost.set(consumer, [...(lost.get(consumer) ?? []), String(id)]);
    return [...lost.values()];
  }

  /** Shortens all leases after a restart of the owner, because living consumers send a heartbeat soon. */
  shorten(now: number): void {
    const until = now + LEASE_AFTER_RESTART_MS;
    this.#changes(`leaseUntil = min(leaseUntil, ?) where ${this.#held}`, until);
  }

  #changes(assignments: string, ...values: SqlStorageValue[]): boolean {
    return this.#sql.exec(`update ${this.#table} set ${assignments}`, ...values).rowsWritten > 0;
  }
}
