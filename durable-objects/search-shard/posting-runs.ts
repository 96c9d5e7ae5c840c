import {
  type Block,
  findInBlock,
  joinPostings,
  keepPostings,
  mergeStreams,
  type Postings,
  packBlocks,
  RecentPostings,
  unpackBlock,
} from '../../src/search/postings.ts';

/** Small enough that reading one term reads little besides, large enough that a run is few rows. */
const BLOCK_BYTES = 32_768;
/** Well below the platform's 2 MB a value. */
const RECENT_BYTES = 1_000_000;
/** So many runs of like size become one of the next size. */
const FAN_IN = 4;
const SMALLEST_RUN = 2_048;

/** One staging call's postings: term -> (local id, frequency) pairs in staging order. */
export function insertRecentPostings(sql: SqlStorage, postings: RecentPostings): void {
  for (const { body } of packBlocks(postings.unsorted(), RECENT_BYTES)) {
    sql.exec('INSERT INTO recent_postings (body) VALUES (?)', body);
  }
}

export function readRecentPostings(sql: SqlStorage): RecentPostings {
  const recent = new RecentPostings();
  for (const { body } of sql.exec<{ body: ArrayBuffer }>(
    'SELECT body FROM recent_postings ORDER BY number',
  )) {
    for (const [term, { ids, frequencies }] of unpackBlock(body)) {
      for (let i = 0; i < ids.length; i++) recent.add(term, ids[i]!, frequencies[i]!);
    }
  }
  return recent;
}

/** A term's postings in all runs. */
export function findPostings(sql: SqlStorage, term: string): Postings {
  // The last block that starts at or before the term, of each run.
  const blocks = sql.exec<{ body: ArrayBuffer | null }>(
    `SELECT (SELECT body FROM posting_block b WHERE b.run = r.run AND b.first_term <= ?
             ORDER BY b.first_term DESC LIMIT 1) AS body
     FROM posting_run r`,
    term,
  );
  const parts: Postings[] = [];
  for (const { body } of blocks) {
    const found = body === null ? undefined : findInBlock(body, term);
    if (found !== undefined) parts.push(found);
  }
  return joinPostings(parts);
}

/** Turns the recent postings into a run. `keep` tells the local ids that still mean something. */
export function flushRecentPostings(
  sql: SqlStorage,
  recent: RecentPostings,
  chunks: number,
  keep: (local: number) => boolean,
): void {
  writeRun(sql, kept(recent.entries(), keep), chunks);
  sql.exec('DELETE FROM recent_postings');
}

function* kept(
  entries: Iterable<[string, Postings]>,
  keep: (local: number) => boolean,
): Generator<[string, Postings]> {
  for (const [term, postings] of entries) yield [term, keepPostings(postings, keep)];
}

function writeRun(sql: SqlStorage, entries: Iterable<[string, Postings]>, chunks: number): void {
  const { run } = sql
    .exec<{ run: number }>('INSERT INTO posting_run (chunks) VALUES (?) RETURNING run', chunks)
    .one();
  for (const { first, body } of packBlocks(entries, BLOCK_BYTES) as Generator<Block>) {
    sql.exec('INSERT INTO posting_block VALUES (?, ?, ?)', run, first, body);
  }
}

type Run = { run: number; chunks: number };

function sizeClass({ chunks }: Run): number {
  return Math.max(0, Math.floor(Math.log(chunks / SMALLEST_RUN) / Math.log(FAN_IN)));
}

/** The runs to merge next: enough of one size, or none. */
export function mergeableRuns(sql: SqlStorage): Run[] {
  const classes = Map.groupBy(sql.exec<Run>('SELECT run, chunks FROM posting_run ORDER BY run'), sizeClass);
  return [...classes.values()].find((runs) => runs.length >= FAN_IN) ?? [];
}

export function allRuns(sql: SqlStorage): Run[] {
  return sql.exec<Run>('SELECT run, chunks FROM posting_run ORDER BY run').toArray();
}

export function mergeRuns(sql: SqlStorage, runs: Run[], keep: (local: number) => boolean): void {
  if (runs.length === 0) return;
  const streams = runs.map(({ run }) => readRun(sql, run));
  const chunks = runs.reduce((sum, run) => sum + run.chunks, 0);
  writeRun(sql, kept(mergeStreams(streams), keep), chunks);
  const merged = JSON.stringify(runs.map(({ run }) => run));
  for (const table of ['posting_block', 'posting_run']) {
    sql.exec(`DELETE FROM ${table} WHERE run IN (SELECT value FROM json_each(?))`, merged);
  }
}

/** A block at a time by its key: cursors do not survive writes to their table. */
function* readRun(sql: SqlStorage, run: number): Generator<[string, Postings]> {
  for (let after = ''; ; ) {
    const [block] = sql
      .exec<{ first_term: string; body: ArrayBuffer }>(
        'SELECT first_term, body FROM posting_block WHERE run = ? AND first_term > ? ORDER BY first_term LIMIT 1',
        run,
        after,
      )
      .toArray();
    if (block === undefined) return;
    yield* unpackBlock(block.body);
    after = block.first_term;
  }
}
