import { Unavailable } from '#src/lib/errors.ts';

type Change = string | ((sql: SqlStorage) => void);

/** Upgrade of a Durable Object's storage, which each object applies once. */
export interface Upgrade {
  changes: readonly Change[];
  /**
   * Set if earlier releases cannot use the upgraded storage. Such a release then refuses to open the object.
   * A deployment with such an upgrade cannot be rolled back, and release.json has to say so.
   */
  preventsDowngrade?: true;
}

type Storage = Pick<DurableObjectStorage, 'sql' | 'transactionSync'>;

/**
 * Creates or upgrades an object's tables in one transaction. An object that a later release upgraded is used
 * unchanged, unless that release marked the upgrade as incompatible.
 */
export function upgradeStorage(storage: Storage, upgrades: readonly Upgrade[]): void {
  const { sql } = storage;
  sql.exec('create table if not exists upgrade (number integer primary key)');
  const done = sql.exec<{ n: number }>('select count(*) as n from upgrade').one().n;
  if (done > upgrades.length) refusePreventedDowngrade(sql, upgrades.length);
  if (done >= upgrades.length) return;
  storage.transactionSync(() => {
    // Objects created by release 0.1.0 have a table `upgrade` without the column `closes`.
    addColumn(sql, 'upgrade', 'closes', 'integer not null default 0');
    for (const [number, { changes, preventsDowngrade }] of upgrades.entries()) {
      if (number < done) continue;
      for (const change of changes) {
        if (typeof change === 'string') sql.exec(change);
        else change(sql);
      }
      sql.exec('insert into upgrade (number, closes) values (?, ?)', number, preventsDowngrade ? 1 : 0);
    }
  });
}

/**
 * Throws if a later release marked its storage upgrade as incompatible. No storage has been changed at this
 * point.
 */
function refusePreventedDowngrade(sql: SqlStorage, known: number): void {
  const closed = sql.exec('select 1 from upgrade where number >= ? and closes = 1', known).toArray();
  if (closed.length === 0) return;
  throw new Unavailable(
    'A later release of Sluice changed the stored data in a way that this release cannot read. Run that release.',
  );
}

/** Adds a column to a table if the table does not have it yet. */
export function addColumn(sql: SqlStorage, table: string, column: string, definition: string): void {
  const known = sql.exec('select 1 from pragma_table_info(?) where name = ?', table, column).toArray();
  if (known.length === 0) sql.exec(`alter table ${table} add column ${column} ${definition}`);
}
