import { addColumn, LEASE_COLUMNS, type Lease, Leases } from '#src/work/lease.ts';
import type { Run, WorkItem } from '#src/work/sync-owner.ts';

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

const TABLES = `
  create table if not exists run (
    generation integer primary key, pipelineId text not null, jobId text not null, reason text not null,
    state text not null, scope text not null, sourcesRead integer not null, again text,
    progressAt integer not null, pausedUntil integer not null default 0, startedAt integer not null, finishedAt integer, planSentAt integer not null, planAttempts integer not null default 1,
    planStarts integer not null default 0, cancelledAt integer, counters text not null default '{}', verdict text);
  create table if not exists item (
    id text primary key, generation integer not null, body text not null, parent text,
    state text not null default 'waiting', attempts integer not null default 0, ${LEASE_COLUMNS}, progressAt integer not null default 0,
    sentAt integer not null default 0, notBefore integer not null default 0, version integer not null default 0);
  create index if not exists item_by_state on item (state, notBefore);
  create index if not exists item_by_parent on item (parent, state);
  create table if not exists memo (name text primary key, value integer not null);
`;

/** The run's books in the object's SQLite: which items there are and how far each has come. */
export class RunLedger {
  readonly #sql: SqlStorage;
  readonly leases: Leases;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.create();
    this.leases = new Leases(sql, 'item', "state = 'claimed'");
  }

  /** The tables, which are gone once the object has forgotten everything. */
  create(): void {
    this.#sql.exec(TABLES);
    addColumn(this.#sql, 'run', 'planStarts', 'integer not null default 0');
  }

  current(): Run | null {
    const row = this.#sql.exec('select * from run order by generation desc limit 1').toArray()[0];
    if (!row) return null;
    // The row's columns are the members of Run by name (TABLES); only those stored as text or 0/1 are turned back.
    return {
      ...row,
      scope: JSON.parse(row.scope as string),
      sourcesRead: row.sourcesRead === 1,
      again: row.again === null ? null : JSON.parse(row.again as string),
      counters: JSON.parse(row.counters as string),
      verdict: row.verdict === null ? null : JSON.parse(row.verdict as string),
    } as unknown as Run;
  }

  open(run: Pick<Run, 'pipelineId' | 'jobId' | 'reason' | 'scope'>, now: number): Run {
    const generation = (this.current()?.generation ?? 0) + 1;
    this.#sql.exec('delete from item');
    // History lives in D1; here only the current run matters.
    this.#sql.exec('delete from run');
    this.#sql.exec(
      `insert into run (generation, pipelineId, jobId, reason, state, scope, sourcesRead, startedAt,
         planSentAt, progressAt) values (?, ?, ?, ?, 'planning', ?, ?, ?, ?, ?)`,
      generation,
      run.pipelineId,
      run.jobId,
      run.reason,
      JSON.stringify(run.scope),
      run.scope.sources.length === 0 ? 1 : 0,
      now,
      now,
      now,
    );
    return this.current()!;
  }

  setRun(changes: Partial<Omit<Run, 'generation'>>): void {
    const entries = Object.entries(changes).map(([name, value]) => {
      const stored = typeof value === 'boolean' ? Number(value) : value;
      const isObject = typeof value === 'object' && value !== null;
      return [name, isObject ? JSON.stringify(value) : stored] as [string, SqlStorageValue];
    });
    const assignments = entries.map(([name]) => `${name} = ?`).join(', ');
    this.#sql.exec(`update run set ${assignments}`, ...entries.map(([, value]) => value));
  }

  addCounters(counters: Record<string, number>): void {
    const sum = { ...this.current()?.counters };
    for (const [name, value] of Object.entries(counters)) sum[name] = (sum[name] ?? 0) + value;
    this.setRun({ counters: sum });
  }

  /** Gives the number of those that were not there yet. */
  add(generation: number, items: WorkItem[], parent: string | null = null): number {
    let added = 0;
    for (const item of items) {
      const { rowsWritten } = this.#sql.exec(
        'insert or ignore into item (id, generation, body, parent) values (?, ?, ?, ?)',
        item.id,
        generation,
        JSON.stringify(item),
        parent,
      );
      added += rowsWritten > 0 ? 1 : 0;
    }
    return added;
  }

  hasFailedParts(itemId: string): boolean {
    const asked = "select exists (select 1 from item where parent = ? and state = 'failed') as found";
    return this.#sql.exec(asked, itemId).one().found === 1;
  }

  get(itemId: string): LedgerItem | null {
    const row = this.#sql
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

  /** The version of what the consumer writes; undefined: another one has the item. */
  claim(itemId: string, consumer: string, now: number): number | undefined {
    if (!this.leases.claim(itemId, consumer, now)) return undefined;
    const version = this.nextVersion(now);
    this.#sql.exec(
      "update item set state = 'claimed', version = ?, progressAt = ?, attempts = attempts + 1 where id = ?",
      ...[version, now, itemId],
    );
    return version;
  }

  /** The item, and with it the run, got further. */
  progressed(itemId: string, now: number): void {
    this.#sql.exec('update item set progressAt = ? where id = ?', now, itemId);
    this.setRun({ progressAt: now });
  }

  settle(itemId: string, state: 'done' | 'failed'): void {
    this.leases.end(itemId);
    this.#sql.exec('update item set state = ? where id = ?', state, itemId);
  }

  /** The last attempt does not count: the other side was busy, not the work wrong. */
  forgiveAttempt(itemId: string): void {
    this.#sql.exec('update item set attempts = max(0, attempts - 1) where id = ?', itemId);
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
    this.#sql.exec("update item set state = 'waiting', notBefore = ? where id = ?", notBefore, itemId);
  }

  /** Marks the next items as sent and returns their ids; `limit` bounds how many are in flight at once. */
  takeForSending(limit: number, now: number): string[] {
    const inFlight = this.inFlight();
    if (inFlight >= limit) return [];
    return this.#sql
      .exec(
        `update item set state = 'sent', sentAt = ? where id in (
           select id from item where state = 'waiting' and notBefore <= ? and not exists (
             select 1 from item part where part.parent = item.id and part.state not in ('done', 'failed'))
           order by rowid limit ?) returning id`,
        now,
        now,
        limit - inFlight,
      )
      .toArray()
      .map((row) => row.id as string);
  }

  /** Sent items whose message must be taken for lost go back in the line. */
  requeueSent(sentBefore: number): number {
    return this.#sql.exec(
      "update item set state = 'waiting' where state = 'sent' and sentAt <= ?",
      sentBefore,
    ).rowsWritten;
  }

  /** Claims whose consumer lives but gets nowhere. */
  stuckClaims(since: number): string[] {
    return this.#sql
      .exec("select id from item where state = 'claimed' and progressAt <= ?", since)
      .toArray()
      .map((row) => row.id as string);
  }

  /** When the next waiting item may be sent, if that is still ahead. */
  nextSending(now: number): number | null {
    return this.#sql
      .exec("select min(notBefore) as at from item where state = 'waiting' and notBefore > ?", now)
      .one().at as number | null;
  }

  dropWaiting(): void {
    this.#sql.exec("delete from item where state in ('waiting', 'sent')");
  }

  inFlight(): number {
    return this.countIn('sent') + this.countIn('claimed');
  }

  hasOpenItems(): boolean {
    const asked = "select exists (select 1 from item where state in ('waiting', 'sent', 'claimed')) as found";
    return this.#sql.exec(asked).one().found === 1;
  }

  countIn(state: ItemState): number {
    return this.#sql.exec('select count(*) as n from item where state = ?', state).one().n as number;
  }

  counts(): Record<string, number> {
    const rows = this.#sql.exec('select state, count(*) as n from item group by state').toArray();
    return Object.fromEntries(rows.map((row) => [row.state as string, row.n as number]));
  }

  /** Rises with every call, and follows the clock: what is claimed later writes a higher version. */
  nextVersion(now: number): number {
    return this.#sql
      .exec(
        `insert into memo (name, value) values ('version', ?)
         on conflict (name) do update set value = max(value + 1, excluded.value) returning value`,
        now,
      )
      .one().value as number;
  }
}
