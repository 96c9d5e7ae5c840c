import { LEASE_COLUMNS } from '#src/work/lease.ts';
import { addColumn, type Upgrade } from '../storage-upgrades.ts';
import { MAX_ITEMS_PER_MESSAGE } from './group-items.ts';

/**
 * Columns of the item table that control sending. `bytes` is the input size, or null if it is unknown. `line`
 * is the priority, where 0 is sent first. `most` is the maximum number of items in a message with this item.
 * `sentAs` is the name of the message that contained the item.
 */
const SENDING_COLUMNS = {
  bytes: 'integer',
  line: 'integer not null default 1',
  most: `integer not null default ${MAX_ITEMS_PER_MESSAGE}`,
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

/**
 * Creates the item tables as release 0.1.0 did, then adds the columns of later releases if they are missing.
 */
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
  {
    // Few waiting items must not be sent before a certain time, and the next of these times is needed after every step.
    changes: [
      "create index if not exists item_by_send_time on item (notBefore) where state = 'waiting' and notBefore > 0",
    ],
  },
];
