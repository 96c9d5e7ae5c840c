import { LEASE_MS, type Lease, Leases } from '#src/work/lease.ts';
import type { ClaimedItem, WorkItem } from '#src/work/sync-owner.ts';
import { insertRows } from '../insert-rows.ts';
import { getSmallerGroupSize, groupItems, type WaitingItem } from './group-items.ts';

type ItemState = 'waiting' | 'sent' | 'claimed' | 'done' | 'failed';

export interface LedgerItem extends Lease {
  item: WorkItem;
  state: ItemState;
  /**
   * Number of times a consumer has claimed the item. Attempts that ended with a rate limit are not counted.
   */
  attempts: number;
  sentAt: number;
  /** Earliest time at which the item may be sent, in milliseconds since 1970. */
  notBefore: number;
  /** True while the item was split into parts and some of them have not ended. */
  waitsForParts: boolean;
}

/**
 * Maximum input size in bytes of an item that may be moved to the front of the queue. Larger items take their
 * turn.
 */
const MAX_QUICK_BYTES = 1024 * 1024;

/** Number of messages and of items that are in the queue or in progress at the same time. */
export interface InFlight {
  messages: number;
  items: number;
}

/** Items of a sync run in the object's SQLite, with their progress and current consumer. */
export class ItemLedger {
  protected readonly sql: SqlStorage;
  readonly leases: Leases;

  constructor(sql: SqlStorage) {
    this.sql = sql;
    this.leases = new Leases(sql, 'item', "state = 'claimed'");
  }

  /** Adds items that do not exist yet and returns how many were added. */
  add(generation: number, items: WorkItem[], parent: string | null = null): number {
    const rows = items.map((item) => [
      item.id,
      generation,
      JSON.stringify(item),
      parent,
      getInputBytes(item),
    ]);
    const insert = 'insert or ignore into item (id, generation, body, parent, bytes)';
    return insertRows(this.sql, insert, rows, 'returning id').length;
  }

  /**
   * Moves items to the front, adding those that do not exist yet. Those that have ended are processed again. Items that
   * have been sent are not changed.
   */
  addFirst(generation: number, items: WorkItem[]): void {
    this.add(generation, items);
    this.reopen(items, ['done', 'failed']);
    this.updateItems("line = iif(state = 'waiting', 0, line)", listIds(items));
  }

  /**
   * Returns items that have ended in one of the given states to the waiting items, because their content may have changed
   * since. Items that were split into parts are not changed.
   */
  reopen(items: WorkItem[], ended: readonly ('done' | 'failed')[]): void {
    this.sql.exec(
      `update item set state = 'waiting', attempts = 0, line = 1, sentAs = null, notBefore = 0
       where id in (select value from json_each(?)) and state in (select value from json_each(?))
         and not exists (select 1 from item part where part.parent = item.id)`,
      JSON.stringify(listIds(items)),
      JSON.stringify(ended),
    );
  }

  /** Returns whether the run has had any items so far. */
  hasItems(): boolean {
    return this.sql.exec('select exists (select 1 from item) as found').one().found === 1;
  }

  /**
   * Moves small waiting items to the front. Items of large or unknown size stay in place, because they would
   * delay others.
   */
  prioritizeQuick(): void {
    this.sql.exec("update item set line = 0 where state = 'waiting' and bytes <= ?", MAX_QUICK_BYTES);
  }

  hasFailedParts(itemId: string): boolean {
    const asked = "select exists (select 1 from item where parent = ? and state = 'failed') as found";
    return this.sql.exec(asked, itemId).one().found === 1;
  }

  get(itemId: string): LedgerItem | null {
    const row = this.sql
      .exec(
        `select *, exists (select 1 from item part where part.parent = item.id
           and part.state not in ('done', 'failed')) as waitsForParts
         from item where id = ?`,
        itemId,
      )
      .toArray()[0];
    if (!row) return null;
    return { ...row, item: JSON.parse(row.body as string), waitsForParts: row.waitsForParts === 1 } as never;
  }

  /**
   * Returns the ids of items that a consumer may start. Items that wait for their parts and items that were started
   * `mostStarts` times are left out.
   */
  selectStartable(ids: string[], mostStarts: number): string[] {
    return this.sql
      .exec<{ id: string }>(
        `select id from item where id in (select value from json_each(?)) and starts < ? and not exists (
           select 1 from item part where part.parent = item.id and part.state not in ('done', 'failed'))`,
        JSON.stringify(ids),
        mostStarts,
      )
      .toArray()
      .map(({ id }) => id);
  }

  /** Returns the open items that a message refers to, and whether a consumer holds any of them. */
  findByMessage(name: string): { ids: string[]; isHeld: boolean } {
    // Waiting items belong to no message, so the second part does not read them. There may be millions.
    const rows = this.sql
      .exec<{ id: string; consumer: string | null }>(
        `select id, consumer from item where id = ?1 and state in ('waiting', 'sent', 'claimed')
         union all select id, consumer from item where state in ('sent', 'claimed') and sentAs = ?1 and id <> ?1`,
        name,
      )
      .toArray();
    return { ids: rows.map(({ id }) => id), isHeld: rows.some(({ consumer }) => consumer !== null) };
  }

  /**
   * Assigns the free items among `ids` to a consumer. Also returns the version number under which the
   * consumer must write its results.
   */
  claim(ids: string[], consumer: string, now: number): { items: ClaimedItem[]; version: number } {
    const free = this.leases.claimMany(ids, consumer, now);
    const version = this.nextVersion(now);
    const rows = this.sql
      .exec<{ body: string; attempts: number }>(
        `update item set state = 'claimed', version = ?, progressAt = ?, attempts = attempts + 1
         where id in (select value from json_each(?)) returning body, attempts`,
        version,
        now,
        JSON.stringify(free),
      )
      .toArray();
    const items = rows.map(({ body, attempts }) => ({
      item: JSON.parse(body) as WorkItem,
      attempt: attempts,
    }));
    return { items, version };
  }

  /** Renews the leases of all items that the consumer holds. Returns false if it holds none. */
  renew(consumer: string, now: number): boolean {
    const held = "state = 'claimed' and consumer = ?";
    return (
      this.sql.exec(`update item set leaseUntil = ? where ${held}`, now + LEASE_MS, consumer).rowsWritten > 0
    );
  }

  /** Returns the ids of the items that a consumer has claimed and not yet reported. */
  listHeld(consumer: string): string[] {
    return this.sql
      .exec<{ id: string }>("select id from item where state = 'claimed' and consumer = ?", consumer)
      .toArray()
      .map(({ id }) => id);
  }

  settle(itemIds: string[], state: 'done' | 'failed'): void {
    this.updateItems('consumer = null, leaseUntil = 0, starts = 0, state = ?', itemIds, state);
  }

  /** Subtracts the last attempt from the item's count, because a rate limit ended that attempt. */
  uncountAttempt(itemId: string): void {
    this.sql.exec('update item set attempts = max(0, attempts - 1) where id = ?', itemId);
  }

  /** Returns an item to the waiting items after its attempt ended. It is not sent before `notBefore`. */
  requeue(itemId: string, notBefore: number): void {
    this.leases.end(itemId);
    this.#putBack(itemId, notBefore);
  }

  /** Returns an item to the waiting items after its consumer stopped without reporting a result. */
  requeueLost(itemId: string, notBefore: number): void {
    this.leases.takeBack(itemId);
    this.#putBack(itemId, notBefore);
  }

  #putBack(itemId: string, notBefore: number): void {
    this.sql.exec(
      "update item set state = 'waiting', line = 1, sentAs = null, notBefore = ? where id = ?",
      notBefore,
      itemId,
    );
  }

  /**
   * Returns items that failed or were lost together to the waiting items. They are sent in smaller groups,
   * which shows the item that caused the failure.
   */
  requeueInSmallerGroups(itemIds: string[], notBefore: number): void {
    this.updateItems(
      `consumer = null, leaseUntil = 0, starts = 0,
       attempts = max(0, attempts - 1), most = ?, line = 1, state = 'waiting', sentAs = null, notBefore = ?`,
      itemIds,
      getSmallerGroupSize(itemIds.length),
      notBefore,
    );
  }

  /** Marks the next waiting items as sent and returns the messages to send. Small items share a message. */
  takeForSending(limit: InFlight, now: number, lines: 'first' | 'all'): { name: string; isFirst: boolean }[] {
    const { messages, items } = this.countInFlight();
    const available = { messages: limit.messages - messages, items: limit.items - items };
    if (available.messages <= 0 || available.items <= 0) return [];
    const waiting = this.sql
      .exec<WaitingItem>(
        `select id, bytes, most, line from item where state = 'waiting' and line <= ? and notBefore <= ? and not exists (
           select 1 from item part where part.parent = item.id and part.state not in ('done', 'failed'))
         order by line, rowid limit ?`,
        lines === 'first' ? 0 : 1,
        now,
        available.items,
      )
      .toArray();
    return groupItems(waiting)
      .slice(0, available.messages)
      .map(({ ids, isFirst }) => {
        const name = ids.length === 1 ? ids[0]! : `together:${this.nextVersion(now)}`;
        this.updateItems("state = 'sent', sentAt = ?, sentAs = ?", ids, now, name);
        return { name, isFirst };
      });
  }

  /**
   * Returns sent items to the waiting items if their message was sent before `sentBefore` and must be
   * considered lost.
   */
  requeueSent(sentBefore: number): number {
    return this.sql.exec(
      "update item set state = 'waiting', sentAs = null where state = 'sent' and sentAt <= ?",
      sentBefore,
    ).rowsWritten;
  }

  /**
   * Returns claimed items that made no progress since `since`, although their consumers still send
   * heartbeats.
   */
  listStuckClaims(since: number): string[] {
    return this.sql
      .exec("select id from item where state = 'claimed' and progressAt <= ?", since)
      .toArray()
      .map((row) => row.id as string);
  }

  /** Returns the earliest future time at which a waiting item may be sent, or null if there is none. */
  getNextSendTime(now: number): number | null {
    // Without the hint, SQLite would read all waiting items. The query has to repeat the condition of the partial index.
    const asked = `select min(notBefore) as at from item indexed by item_by_send_time
      where state = 'waiting' and notBefore > 0 and notBefore > ?`;
    return this.sql.exec(asked, now).one().at as number | null;
  }

  dropWaiting(): void {
    this.sql.exec("delete from item where state in ('waiting', 'sent')");
  }

  countInFlight(): InFlight {
    const asked = `select count(*) as items, count(distinct coalesce(sentAs, id)) as messages
      from item where state in ('sent', 'claimed')`;
    const { items, messages } = this.sql.exec<{ items: number; messages: number }>(asked).one();
    return { items, messages };
  }

  hasOpenItems(): boolean {
    const asked = "select exists (select 1 from item where state in ('waiting', 'sent', 'claimed')) as found";
    return this.sql.exec(asked).one().found === 1;
  }

  countInState(state: ItemState): number {
    return this.sql.exec('select count(*) as n from item where state = ?', state).one().n as number;
  }

  countByState(): Record<string, number> {
    const rows = this.sql.exec('select state, count(*) as n from item group by state').toArray();
    return Object.fromEntries(rows.map((row) => [row.state as string, row.n as number]));
  }

  protected updateItems(assignments: string, ids: string[], ...values: SqlStorageValue[]): void {
    this.sql.exec(
      `update item set ${assignments} where id in (select value from json_each(?))`,
      ...values,
      JSON.stringify(ids),
    );
  }

  /**
   * Returns a version number that is higher than all earlier ones and at least `now`. Results of later claims
   * therefore replace earlier results.
   */
  nextVersion(now: number): number {
    return this.sql
      .exec(
        `insert into memo (name, value) values ('version', ?)
         on conflict (name) do update set value = max(value + 1, excluded.value) returning value`,
        now,
      )
      .one().value as number;
  }
}

const listIds = (items: WorkItem[]) => items.map(({ id }) => id);

/**
 * Returns the number of bytes to read for an item. Returns null if the number is unknown or the item must be
 * sent alone.
 */
function getInputBytes(item: WorkItem): number | null {
  if (item.kind === 'removal') return 0;
  return 'bytes' in item ? (item.bytes ?? null) : null;
}
