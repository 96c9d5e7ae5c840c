import { LEASE_COLUMNS } from '#src/work/lease.ts';
import { addColumn, type Upgrade } from '../storage-upgrades.ts';
import { MOST_TOGETHER } from './gather-items.ts';

/**
 * What of an item decides how it is sent: what is to be read for it (null: unknown), in which line it waits (0 goes
 * first), with how many others it may be sent at most, and the name of the message that it was sent by.
 */
const SENDING_COLUMNS = {
  bytes: 'integer',
  line: 'integer not null default 1',
  most: `integer not null default ${MOST_TOGETHER}`,
  sentAs: 'text',
};

const ITEM_TABLES = `
  create table if not exists item (
    id text primary key, generation integer not null, body text not null, parent text,
    state text not null default 'waiting', attempts integer not null default 0, ${LEASE_COLUMNS}, progressAt integer not null default 0,
    sentAt integer not null default 0, notBefore integer not null default 0, version integer not null default 0);
  create index if not exists item_by_parent on item (parent, state);
  create table if not exists memo (name text primary key, value integer not null);
`;

/** As release 0.1.0 left them; in objects from before it columns are missing. */
function createItems(sql: SqlStorage): void {
  sql.exec(ITEM_TABLES);
  const counted = { starts: 'integer not null default 0', lost: 'integer not null default 0' };
  for (const [name, type] of Object.entries({ ...counted, ...SENDING_COLUMNS })) {
    addColumn(sql, 'item', name, type);
  }
  sql.exec('create index if not exists item_in_line on item (state, line)');
}

const RUN_TABLE = `
  create table if not exists run (
    generation integer primary key, pipelineId text not null, jobId text not null, reason text not null,
    state text not null, scope text not null, sourcesRead integer not null, again text,
    progressAt integer not null, pausedUntil integer not null default 0, startedAt integer not null, finishedAt integer, planSentAt integer not null, planAttempts integer not null default 1,
    planStarts integer not null default 0, cancelledAt integer, counters text not null default '{}', verdict text);
`;

export const SYNC_UPGRADES: readonly Upgrade[] = [
  {
    changes: [
      createItems,
      RUN_TABLE,
      (sql) => addColumn(sql, 'run', 'planStarts', 'integer not null default 0'),
    ],
  },
];
