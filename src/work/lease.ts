/** A consumer that has not shown itself for so long is taken for dead. */
export const LEASE_MS = 30_000;
/** Consumers show themselves that often. */
export const HEARTBEAT_MS = 3_000;
/** After an owner was restarted, consumers that live on have this long to show it. */
export const LEASE_AFTER_RESTART_MS = 7_000;

/** The columns of a lease, in whatever table the owner keeps its work in. */
export const LEASE_COLUMNS = `consumer text, leaseUntil integer not null default 0,
  starts integer not null default 0, lost integer not null default 0`;

/** What a row says of its lease. */
export interface Lease {
  /** Who has the work; null: nobody. */
  consumer: string | null;
  /** Not renewed by then, the work may be given to another. Milliseconds since 1970. */
  leaseUntil: number;
  /** Starts in a row that have not ended, the present one included. */
  starts: number;
  /** Starts that never ended, in all. */
  lost: number;
}

/**
 * Who has which piece of an owner's work: one consumer at a time, as long as it shows itself. A start is counted in
 * the owner's storage before the consumer is told that it has the work, so work that takes its process down is
 * counted as well. All times are the caller's, in milliseconds since 1970.
 */
export class Leases {
  readonly #sql: SqlStorage;
  readonly #table: string;
  readonly #held: string;

  /** `table` has the columns of LEASE_COLUMNS and an `id`; `held` is what an index of it finds held rows by. */
  constructor(sql: SqlStorage, table: 'item' | 'job' | 'delivery', held = 'consumer is not null') {
    this.#sql = sql;
    this.#table = table;
    this.#held = held;
  }

  /** Gives the work to the consumer and counts the start; false: another one has it. */
  claim(id: string | number, consumer: string, now: number): boolean {
    return this.#changes(
      `lost = lost + (consumer is not null), consumer = ?, leaseUntil = ?, starts = starts + 1
       where id = ? and (consumer is null or leaseUntil <= ?)`,
      ...[consumer, now + LEASE_MS, id, now],
    );
  }

  /** False: the consumer does not have it any more. */
  renew(id: string | number, consumer: string, now: number): boolean {
    return this.#changes('leaseUntil = ? where id = ? and consumer = ?', now + LEASE_MS, id, consumer);
  }

  /** The consumer has said how its work ended: the start counts no more. */
  end(id: string | number): void {
    this.#changes('consumer = null, leaseUntil = 0, starts = 0 where id = ?', id);
  }

  /** Takes the work back from a consumer that fell silent; its start stays counted. */
  takeBack(id: string | number): void {
    this.#changes('consumer = null, leaseUntil = 0, lost = lost + 1 where id = ?', id);
  }

  /** The work whose consumer fell silent, that of one consumer together. */
  expired(now: number): string[][] {
    const lost = new Map<unknown, string[]>();
    const rows = this.#sql.exec(
      `select id, consumer from ${this.#table} where ${this.#held} and leaseUntil <= ? order by rowid`,
      now,
    );
    for (const { id, consumer } of rows) lost.set(consumer, [...(lost.get(consumer) ?? []), String(id)]);
    return [...lost.values()];
  }

  /** The owner was restarted: whoever still works shows it by the next heartbeat. */
  shorten(now: number): void {
    const until = now + LEASE_AFTER_RESTART_MS;
    this.#changes(`leaseUntil = min(leaseUntil, ?) where ${this.#held}`, until);
  }

  #changes(assignments: string, ...values: SqlStorageValue[]): boolean {
    return this.#sql.exec(`update ${this.#table} set ${assignments}`, ...values).rowsWritten > 0;
  }
}
