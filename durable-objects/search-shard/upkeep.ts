import { purgeChunks } from './chunks/chunk-rows.ts';
import { sealCodes } from './postings/code-segments.ts';
import {
  deleteReplacedStep,
  hasReplacedRuns,
  isMerging,
  mergeableRuns,
  mergeStep,
  startMerge,
} from './postings/posting-merge.ts';
import { appendToRun, openRun, searchedRuns } from './postings/posting-runs.ts';
import type { Resident } from './postings/resident.ts';
import { removeTitlePostings } from './postings/title-postings.ts';

const CHUNKS_AT_ONCE = 500;
const VERSIONS_AT_ONCE = 100;
const OF_VERSIONS = [
  ['filter_value', 'version_key'],
  ['title', 'version_key'],
  ['dead_version', 'key'],
];
/** Recent chunks are read one by one at wake-up; above this many, staging puts them in order first. */
const RECENT_CHUNKS = 2_048;
/** Local ids are reclaimed when so many chunks are gone whose postings are not. */
const RETIRED_CHUNKS = 8_192;

/** So many are put in order as soon as nothing comes: until then each takes some 3.5 KB of memory more. */
const QUIET_CHUNKS = 256;
/** Chunks that come in parts of a larger work are put in order together. */
const QUIET_DELAY = 10_000;

/** A piece of work of a few milliseconds, run in a transaction. */
type Step = () => void;

/**
 * The most urgent piece of upkeep, if there is any. `short` of room, a single deleted chunk is reason enough; while it
 * is `quiet`, so are fewer recent ones.
 */
export function nextStep(
  sql: SqlStorage,
  awake: () => Resident,
  { short = false, quiet = false } = {},
): Step | undefined {
  if (exists(sql, 'dead_version')) return () => purge(sql, awake());
  if (hasReplacedRuns(sql)) return () => deleteReplacedStep(sql);
  if (isMerging(sql)) return () => merge(sql, awake());
  if (awake().chunks.retiredCount >= (short ? 1 : RETIRED_CHUNKS)) return () => startReclaim(sql, awake());
  if (quiet && isQuietAwaited(awake())) return () => flush(sql, awake());
  const runs = mergeableRuns(sql);
  return runs.length > 0 ? () => startMerge(sql, runs) : undefined;
}

/** Whether there are deleted chunks whose room upkeep can free. */
export function canMakeRoom(sql: SqlStorage, resident: Resident): boolean {
  return resident.chunks.retiredCount > 0 || exists(sql, 'dead_version');
}

function exists(sql: SqlStorage, table: string): boolean {
  return sql.exec(`SELECT 1 FROM ${table} LIMIT 1`).toArray().length > 0;
}

function purge(sql: SqlStorage, resident: Resident): void {
  const { keys } = sql
    .exec<{ keys: string }>(
      'SELECT json_group_array(key) AS keys FROM (SELECT key FROM dead_version ORDER BY key LIMIT ?)',
      VERSIONS_AT_ONCE,
    )
    .one();
  const purged = purgeChunks(sql, keys, CHUNKS_AT_ONCE);
  removeTitlePostings(sql, keys, purged);
  resident.chunks.retire(purged);
  if (purged.length === CHUNKS_AT_ONCE) return;
  for (const [table, key] of OF_VERSIONS) {
    sql.exec(`DELETE FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(?))`, keys);
  }
}

/**
 * Rewrites all postings without the chunks that are deleted by now; their local ids are free afterwards. Those of
 * chunks deleted meanwhile wait for the next time.
 */
function startReclaim(sql: SqlStorage, resident: Resident): void {
  flush(sql, resident);
  sql.exec('UPDATE retired SET leaving = 1');
  startMerge(sql, searchedRuns(sql));
}

function merge(sql: SqlStorage, resident: Resident): void {
  if (!mergeStep(sql, resident.chunks.standing())) return;
  const { locals } = sql
    .exec<{ locals: string }>('SELECT json_group_array(local) AS locals FROM retired WHERE leaving = 1')
    .one();
  if (locals === '[]') return;
  sql.exec('DELETE FROM retired WHERE leaving = 1');
  resident.forgetPostings();
  resident.chunks.release(JSON.parse(locals) as number[]);
}

/** Whether staging has to `flush` first. */
export function isFlushDue(resident: Resident): boolean {
  return resident.recentCount >= RECENT_CHUNKS;
}

function isQuietAwaited({ recentCount }: Resident): boolean {
  return recentCount >= QUIET_CHUNKS;
}

/** When to see whether it is quiet; undefined where nothing is to be put in order then. */
export function quietAt(resident: Resident | undefined): number | undefined {
  return resident && isQuietAwaited(resident) ? Date.now() + QUIET_DELAY : undefined;
}

/** Puts the recent chunks in order: codes into segments, postings into a run. */
export function flush(sql: SqlStorage, resident: Resident): void {
  if (resident.recentCount === 0) return;
  sealCodes(sql, resident.codes());
  const run = openRun(sql, resident.recentCount, 'searched');
  appendToRun(sql, run, resident.recent().entries(), resident.chunks.standing());
  sql.exec('DELETE FROM recent_batch');
  resident.recentMoved();
}
