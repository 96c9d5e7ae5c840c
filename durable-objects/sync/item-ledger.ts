import { LEASE_MS, type Lease, Leases } from '#src/work/lease.ts';
import type { ClaimedItem, WorkItem } from '#src/work/sync-owner.ts';
import { fewer, gatherItems, type WaitingItem } from './gather-items.ts';

type ItemState = 'waiting' | 'sent' | 'claimed' | 'done' | 'failed';

export interface LedgerItem extends Lease {
  item: WorkItem;
  state: ItemState;
  /** Claims so far, without those whose other side asked for patience. */
  attempts: number;
  sentAt: number;
  /** Not to be sent before. */
  notBefore: number;
  /** Items that must end first. */
  waitsForParts: boolean;
}

/** An item of which more is to be read takes its turn among all others, whoever waits for it. */
const QUICK_BYTES = 1024 * 1024;

/** What may be with consumers at once: messages, and items that they name together. */
export interface InFlight {
  messages: number;
  items: number;
}

/** The items of a run in the object's SQLite: how far each has come, and who has it. */
export class ItemLedger {
  protected readonly sql: SqlStorage;
  readonly leases: Leases;

  constructor(sql: SqlStorage) {
    this.sql = sql;
    this.leases = new Leases(sql, 'item', "state = 'claimed'");
  }

  /** Gives the number of those that were not there yet. */
  add(generation: number, items: WorkItem[], parent: string | null = null): number {
    let added = 0;
    for (const item of items) {
      const { rowsWritten } = this.sql.exec(
        'insert or ignore into item (id, generation, body, parent, bytes) values (?, ?, ?, ?, ?)',
        item.id,
        generation,
        JSON.stringify(item),
        parent,
        bytesOf(item),
      );
      added += rowsWritten > 0 ? 1 : 0;
    }
    return added;
  }

  /** Has these done next, whether they were planned already or not; what has been begun stays as it is. */
  addFirst(generation: number, items: WorkItem[]): void {
    this.add(generation, items);
    this.change("line = iif(state = 'waiting', 0, line)", idsOf(items));
  }

  /** Of a run of few items somebody waits for each; what is large or of unknown size would hold up others. */
  putQuickFirst(): void {
    this.sql.exec("update item set line = 0 where state = 'waiting' and bytes <= ?", QUICK_BYTES);
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

  /** The items that a message names. */
  named(name: string): { ids: string[]; isHeld: boolean } {
    const rows = this.sql
      .exec<{ id: string; consumer: string | null }>(
        `select id, consumer from item where state in ('waiting', 'sent', 'claimed') and (id = ? or sentAs = ?)`,
        name,
        name,
      )
      .toArray();
    return { ids: rows.map(({ id }) => id), isHeld: rows.some(({ consumer }) => consumer !== null) };
  }

  /** What the consumer has of these from now on, and the version of what it writes. */
  claim(ids: string[], consumer: string, now: number): { items: ClaimedItem[]; version: number } {
    const free = ids.filter((id) => this.leases.claim(id, consumer, now));
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

  /** Keeps all that the consumer has; false: it has nothing any more. */
  renew(consumer: string, now: number): boolean {
    const held = "state = 'claimed' and consumer = ?";
    return (
      this.sql.exec(`update item set leaseUntil = ? where ${held}`, now + LEASE_MS, consumer).rowsWritten > 0
    );
  }

  /** What a consumer has claimed and not said the end of. */
  heldBy(consumer: string): string[] {
    return this.sql
      .exec<{ id: string }>("select id from item where state = 'claimed' and consumer = ?", consumer)
      .toArray()
      .map(({ id }) => id);
  }

  settle(itemIds: string[], state: 'done' | 'failed'): void {
    this.change('consumer = null, leaseUntil = 0, starts = 0, state = ?', itemIds, state);
  }

  /** The last attempt does not count: the other side was busy, not the work wrong. */
  forgiveAttempt(itemId: string): void {
    this.sql.exec('update item set attempts = max(0, attempts - 1) where id = ?', itemId);
  }

  /** Its attempt has ended: back in the line, not before `notBefore`. */
  requeue(itemId: string, notBefore: number): void {
    this.leases.end(itemId);
    this.#wait(itemId, notBefore);
  }

  /** As `requeue` when the consumer never said how its attempt ended. */
  requeueLost(itemId: string, notBefore: number): void {
    this.leases.takeBack(itemId);
    this.#wait(itemId, notBefore);
  }

  #wait(itemId: string, notBefore: number): void {
    this.sql.exec(
      "update item set state = 'waiting', line = 1, sentAs = null, notBefore = ? where id = ?",
      notBefore,
      itemId,
    );
  }

  /** Back in the line after they failed together, or were lost together: it shows with fewer which of them it is. */
  requeueWithFewer(itemIds: string[], notBefore: number): void {
    this.change(
      `consumer = null, leaseUntil = 0, starts = 0,
       attempts = max(0, attempts - 1), most = ?, line = 1, state = 'waiting', sentAs = null, notBefore = ?`,
      itemIds,
      fewer(itemIds.length),
      notBefore,
    );
  }

  /** Marks the next items of these lines as sent, small ones together, and gives the messages to be sent. */
  takeForSending(limit: InFlight, now: number, lines: 'first' | 'all'): { name: string; isFirst: boolean }[] {
    const { messages, items } = this.inFlight();
    const room = { messages: limit.messages - messages, items: limit.items - items };
    if (room.messages <= 0 || room.items <= 0) return [];
    const waiting = this.sql
      .exec<WaitingItem>(
        `select id, bytes, most, line from item where state = 'waiting' and line <= ? and notBefore <= ? and not exists (
           select 1 from item part where part.parent = item.id and part.state not in ('done', 'failed'))
         order by line, rowid limit ?`,
        lines === 'first' ? 0 : 1,
        now,
        room.items,
      )
      .toArray();
    return gatherItems(waiting)
      .slice(0, room.messages)
      .map(({ ids, isFirst }) => {
        const name = ids.length === 1 ? ids[0]! : `together:${this.nextVersion(now)}`;
        this.change("state = 'sent', sentAt = ?, sentAs = ?", ids, now, name);
        return { name, isFirst };
      });
  }

  /** Sent items whose message must be taken for lost go back in the line. */
  requeueSent(sentBefore: number): number {
    return this.sql.exec(
      "update item set state = 'waiting', sentAs = null where state = 'sent' and sentAt <= ?",
      sentBefore,
    ).rowsWritten;
  }

  /** Claims whose consumer lives but gets nowhere. */
  stuckClaims(since: number): string[] {
    return this.sql
      .exec("select id from item where state = 'claimed' and progressAt <= ?", since)
      .toArray()
      .map((row) => row.id as string);
  }

  /** When the next waiting item may be sent, if that is still ahead. */
  nextSending(now: number): number | null {
    return this.sql
      .exec("select min(notBefore) as at from item where state = 'waiting' and notBefore > ?", now)
      .one().at as number | null;
  }

  dropWaiting(): void {
    this.sql.exec("delete from item where state in ('waiting', 'sent')");
  }

  inFlight(): InFlight {
    const asked = `select count(*) as items, count(distinct coalesce(sentAs, id)) as messages
      from item where state in ('sent', 'claimed')`;
    const { items, messages } = this.sql.exec<{ items: number; messages: number }>(asked).one();
    return { items, messages };
  }

  hasOpenItems(): boolean {
    const asked = "select exists (select 1 from item where state in ('waiting', 'sent', 'claimed')) as found";
    return this.sql.exec(asked).one().found === 1;
  }

  countIn(state: ItemState): number {
    return this.sql.exec('select count(*) as n from item where state = ?', state).one().n as number;
  }

  counts(): Record<string, number> {
    const rows = this.sql.exec('select state, count(*) as n from item group by state').toArray();
    return Object.fromEntries(rows.map((row) => [row.state as string, row.n as number]));
  }

  protected change(assignments: string, ids: string[], ...values: SqlStorageValue[]): void {
    this.sql.exec(
      `update item set ${assignments} where id in (select value from json_each(?))`,
      ...values,
      JSON.stringify(ids),
    );
  }

  /** Rises with every call, and follows the clock: what is claimed later writes a higher version. */
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

const idsOf = (items: WorkItem[]) => items.map(({ id }) => id);

/** What is to be read for an item; null: unknown, or work that is nobody's neighbour. */
function bytesOf(item: WorkItem): number | null {
  if (item.kind === 'removal') return 0;
  return 'bytes' in item ? (item.bytes ?? null) : null;
}
