import { purgeChunks } from './chunks/chunk-rows.ts';
import { writeCodeSegments } from './postings/code-segments.ts';
import {
  deleteReplacedBlocks,
  findMergeableRuns,
  hasReplacedRuns,
  isMerging,
  mergeStep,
  startMerge,
} from './postings/posting-merge.ts';
import { appendToRun, createRun, listSearchedRuns } from './postings/posting-runs.ts';
import type { Resident } from './postings/resident.ts';
import { removeTitlePostings } from './postings/title-postings.ts';

const CHUNKS_PER_STEP = 500;
const VERSIONS_PER_STEP = 100;
const VERSION_TABLES = [
  ['filter_value', 'version_key'],
  ['title', 'version_key'],
  ['dead_version', 'key'],
];
/**
 * Maximum number of recent chunks. When it is reached, staging first writes them to segments and runs.
 * Loading a shard is slow with many recent chunks, because they are read one by one.
 */
const RECENT_CHUNKS = 2_048;
/**
 * Number of deleted chunks after which postings are rewritten without them, so that their local ids become
 * free.
 */
const RETIRED_CHUNKS = 8_192;

/**
 * Minimum number of recent chunks that are written to segments and runs when staging pauses. Until then, each
 * of them takes about 3.5 KB of additional memory.
 */
const QUIET_CHUNKS = 256;
/**
 * Milliseconds without staging before recent chunks are flushed, so that the chunks of a larger job are
 * flushed together.
 */
const QUIET_DELAY_MS = 10_000;

/** One step of upkeep, which takes a few milliseconds and runs in a transaction. */
type Step = () => void;

/**
 * Returns the most urgent step of upkeep, or `undefined` if there is none. With `needsLocalIds`, a single
 * deleted chunk is enough to reclaim local ids. With `quiet`, fewer recent chunks are enough to flush.
 */
export function findNextStep(
  sql: SqlStorage,
  awake: () => Resident,
  { needsLocalIds = false, quiet = false } = {},
): Step | undefined {
  if (hasRows(sql, 'dead_version')) return () => purge(sql, awake());
  if (hasReplacedRuns(sql)) return () => deleteReplacedBlocks(sql);
  if (isMerging(sql)) return () => merge(sql, awake());
  if (awake().chunks.retiredCount >= (needsLocalIds ? 1 : RETIRED_CHUNKS))
    return () => startReclaim(sql, awake());
  if (quiet && isQuietFlushPending(awake())) return () => flush(sql, awake());
  const runs = findMergeableRuns(sql);
  return runs.length > 0 ? () => startMerge(sql, runs) : undefined;
}

/** Returns whether upkeep can free the local ids of deleted chunks. */
export function canFreeLocalIds(sql: SqlStorage, resident: Resident): boolean {
  return resident.chunks.retiredCount > 0 || hasRows(sql, 'dead_version');
}

function hasRows(sql: SqlStorage, table: string): boolean {
  return sql.exec(`SELECT 1 FROM ${table} LIMIT 1`).toArray().length > 0;
}

function purge(sql: SqlStorage, resident: Resident): void {
  const { keys } = sql
    .exec<{ keys: string }>(
      'SELECT json_group_array(key) AS keys FROM (SELECT key FROM dead_version ORDER BY key LIMIT ?)',
      VERSIONS_PER_STEP,
    )
    .one();
  const purged = purgeChunks(sql, keys, CHUNKS_PER_STEP);
  removeTitlePostings(sql, keys, purged);
  resident.chunks.retire(purged);
  if (purged.length === CHUNKS_PER_STEP) return;
  for (const [table, key] of VERSION_TABLES) {
    sql.exec(`DELETE FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(?))`, keys);
  }
}

/**
 * Starts to rewrite all postings without the chunks that are deleted by now, which frees their local ids.
 * Chunks that are deleted during the merge wait for the next one.
 */
function startReclaim(sql: SqlStorage, resident: Resident): void {
  flush(sql, resident);
  sql.exec('UPDATE retired SET leaving = 1');
  startMerge(sql, listSearchedRuns(sql));
}

function merge(sql: SqlStorage, resident: Resident): void {
  if (!mergeStep(sql, resident.chunks.createStoredFilter())) return;
  const { locals } = sql
    .exec<{ locals: string }>('SELECT json_group_array(local) AS locals FROM retired WHERE leaving = 1')
    .one();
  if (locals === '[]') return;
  sql.exec('DELETE FROM retired WHERE leaving = 1');
  resident.forgetPostings();
  resident.chunks.release(JSON.parse(locals) as number[]);
}

/** Returns true if there are so many recent chunks that staging must call `flush` first. */
export function isFlushDue(resident: Resident): boolean {
  return resident.recentCount >= RECENT_CHUNKS;
}

function isQuietFlushPending({ recentCount }: Resident): boolean {
  return recentCount >= QUIET_CHUNKS;
}

/**
 * Returns when to check for a pause in staging, in milliseconds since 1970. Returns `undefined` if there are
 * too few recent chunks to flush.
 */
export function getQuietFlushTime(resident: Resident | undefined): number | undefined {
  return resident && isQuietFlushPending(resident) ? Date.now() + QUIET_DELAY_MS : undefined;
}

/** Writes the codes of recent chunks to segments and their postings to a run. */
export function flush(sql: SqlStorage, resident: Resident): void {
  if (resident.recentCount === 0) return;
  writeCodeSegments(sql, resident.getCodes());
  const run = createRun(sql, resident.recentCount, 'searched');
  appendToRun(sql, run, resident.getRecent().entries(), resident.chunks.createStoredFilter());
  sql.exec('DELETE FROM recent_batch');
  resident.clearRecent();
}
