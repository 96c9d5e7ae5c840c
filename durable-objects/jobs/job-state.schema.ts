import { LEASE_COLUMNS } from '#src/work/lease.ts';
import { addColumn, type Upgrade } from '../storage-upgrades.ts';

const JOB_TABLE = `create table if not exists job (
  id integer primary key check (id = 1), kind text not null, jobId text not null,
  phase text not null default 'waiting', attempt integer not null default 0, attempts integer not null,
  timeoutMs integer not null, openedAt integer not null, ${LEASE_COLUMNS},
  deadline integer not null default 0,
  notBefore integer not null default 0, sentAt integer not null, runtime text not null, step text,
  failure text, settled integer not null default 0)`;

const DELIVERY_TABLES = `create table if not exists delivery (
    id integer primary key check (id = 1), jobId text not null, dueAt integer, ${LEASE_COLUMNS},
    more integer not null default 0);
  create table if not exists started (deliveryId text primary key, starts integer not null)`;

/**
 * Adds columns that count the starts of a job. Objects created before release 0.1.0 do not have these
 * columns.
 */
function countStarts(sql: SqlStorage): void {
  for (const table of ['job', 'delivery']) {
    for (const column of ['starts', 'lost']) addColumn(sql, table, column, 'integer not null default 0');
  }
}

export const JOB_UPGRADES: readonly Upgrade[] = [
  { changes: [JOB_TABLE, DELIVERY_TABLES, countStarts] },
  { changes: [(sql) => addColumn(sql, 'job', 'waiter', 'text')] },
];
