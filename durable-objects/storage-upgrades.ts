import { Unavailable } from '#src/lib/errors.ts';

type Change = string | ((sql: SqlStorage) => void);

/** A change of what an object stores, made once in each object. */
export interface Upgrade {
  changes: readonly Change[];
  /**
   * Set where releases from before it could not go on with what it leaves: such a release refuses the object then.
   * The release that brings it cannot be gone back from, and release.json has to say so.
   */
  closesWayBack?: true;
}

type Storage = Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;

/**
 * Creates an object's tables or brings them up to date, all or nothing. An object that a later release has upgraded is
 * used as it is, unless that release has said that this one would do harm.
 */
export function upgradeStorage(storage: Storage, upgrades: readonly Upgrade[]): void {
  const { sql } = storage;
  sql.exec('create table if not exists upgrade (number integer primary key)');
  const done = sql.exec<{ n: number }>('select count(*) as n from upgrade').one().n;
  if (done > upgrades.length) refuseClosed(sql, upgrades.length);
  if (done >= upgrades.length) return;
  storage.transactionSync(() => {
    // Objects of release 0.1.0 have the table without it.
    addColumn(sql, 'upgrade', 'closes', 'integer not null default 0');
    for (const [number, { changes, closesWayBack }] of upgrades.entries()) {
      if (number < done) continue;
      for (const change of changes) {
        if (typeof change === 'string') sql.exec(change);
        else change(sql);
      }
      sql.exec('insert into upgrade (number, closes) values (?, ?)', number, closesWayBack ? 1 : 0);
    }
  });
}

/** Nothing has been touched by then, so that the later release finds all as it left it. */
function refuseClosed(sql: SqlStorage, known: number): void {
  const closed = sql.exec('select 1 from upgrade where number >= ? and closes = 1', known).toArray();
  if (closed.length === 0) return;
  throw new Unavailable(
    'A later release has changed what is stored here in a way that this one cannot read.',
  );
}

/** Adds a column to a table of an object that was made before the column was thought of. */
export function addColumn(sql: SqlStorage, table: string, column: string, definition: string): void {
  const known = sql.exec('select 1 from pragma_table_info(?) where name = ?', table, column).toArray();
  if (known.length === 0) sql.exec(`alter table ${table} add column ${column} ${definition}`);
}
