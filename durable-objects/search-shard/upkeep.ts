import { hasBit } from '../../src/search/bitset.ts';
import { purgeChunks } from './chunk-rows.ts';
import { sealCodes } from './code-segments.ts';
import { allRuns, flushRecentPostings, mergeableRuns, mergeRuns } from './posting-runs.ts';
import type { Resident } from './resident.ts';

const PURGED_AT_ONCE = 1_000;
/** Recent chunks are read one by one at wake-up; above this many they are put in order. */
const RECENT_CHUNKS = 2_048;
/** Staging without a pause leaves alarms no room: at this many it puts them in order itself. */
const MOST_RECENT_CHUNKS = 8_192;
/** Local ids are reclaimed when so many chunks are gone whose postings are not. */
const RETIRED_CHUNKS = 8_192;

function count(sql: SqlStorage, from: string): number {
  return sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${from}`).one().n;
}

export function hasUpkeep(sql: SqlStorage): boolean {
  return (
    count(sql, 'dead_version') > 0 ||
    count(sql, 'recent') >= RECENT_CHUNKS ||
    count(sql, 'retired') >= RETIRED_CHUNKS ||
    mergeableRuns(sql).length > 0
  );
}

/** The most urgent piece of work, bounded; run in a transaction. */
export function upkeep(sql: SqlStorage, resident: Resident, dimension: number | null): void {
  if (count(sql, 'dead_version') > 0) {
    if (purgeChunks(sql, PURGED_AT_ONCE) === 0) purgeVersions(sql);
  } else if (count(sql, 'recent') >= RECENT_CHUNKS) {
    flush(sql, resident, dimension);
  } else if (count(sql, 'retired') >= RETIRED_CHUNKS) {
    reclaim(sql, resident, dimension);
  } else {
    mergeRuns(sql, mergeableRuns(sql), keeping(sql));
    resident.postingsMoved();
  }
}

/** Forgets every deleted chunk for good, so that its local id is free. Reads and writes all postings. */
export function reclaim(sql: SqlStorage, resident: Resident, dimension: number | null): void {
  while (purgeChunks(sql, PURGED_AT_ONCE) > 0);
  purgeVersions(sql);
  flush(sql, resident, dimension);
  mergeRuns(sql, allRuns(sql), keeping(sql));
  const { locals } = sql
    .exec<{ locals: string }>('SELECT json_group_array(local) AS locals FROM retired')
    .one();
  sql.exec('DELETE FROM retired');
  resident.postingsMoved();
  resident.release(JSON.parse(locals) as number[]);
}

/** Before staging: bounds what an alarm that is late has to do, and what a wake-up reads one by one. */
export function flushOverdue(sql: SqlStorage, resident: Resident, dimension: number | null): void {
  if (count(sql, 'recent') >= MOST_RECENT_CHUNKS) flush(sql, resident, dimension);
}

function flush(sql: SqlStorage, resident: Resident, dimension: number | null): void {
  const chunks = count(sql, 'recent');
  if (dimension !== null) sealCodes(sql, resident.codes(dimension));
  flushRecentPostings(sql, resident.recent(), chunks, keeping(sql));
  resident.postingsMoved();
}

function purgeVersions(sql: SqlStorage): void {
  for (const table of ['filter_value', 'title_term']) {
    sql.exec(`DELETE FROM ${table} WHERE version_key IN (SELECT key FROM dead_version)`);
  }
  sql.exec('DELETE FROM dead_version');
}

/** Whether a local id still stands for a chunk. */
function keeping(sql: SqlStorage): (local: number) => boolean {
  const { locals } = sql
    .exec<{ locals: string }>('SELECT json_group_array(local) AS locals FROM chunk')
    .one();
  const kept = new Uint8Array(8_192);
  for (const local of JSON.parse(locals) as number[]) kept[local >> 3]! |= 1 << (local & 7);
  return (local) => hasBit(kept, local);
}
