import {
  type Block,
  filterPostings,
  findInBlock,
  joinPostings,
  type Postings,
  packBlocks,
  unpackBlock,
} from '#src/search/postings.ts';
import { compareCodePoints } from '#src/search/text-order.ts';

/**
 * Size of a block in bytes. It is small enough that reading one term reads little else, and large enough that
 * a run has few rows.
 */
const BLOCK_BYTES = 8_192;

/**
 * State of a run, which is a sorted set of postings. Queries read 'searched' runs. A merge is still writing a
 * 'written' run. A 'replaced' run was merged into another one and will be deleted.
 */
export type RunState = 'searched' | 'written' | 'replaced';
export type Run = { run: number; chunks: number };

/** Returns the runs that queries read, oldest first. */
export function listSearchedRuns(sql: SqlStorage): Run[] {
  return sql.exec<Run>(`SELECT run, chunks FROM posting_run WHERE state = 'searched' ORDER BY run`).toArray();
}

export function createRun(sql: SqlStorage, chunks: number, state: RunState): number {
  return sql
    .exec<{ run: number }>(
      'INSERT INTO posting_run (chunks, state) VALUES (?, ?) RETURNING run',
      chunks,
      state,
    )
    .one().run;
}

export function setRunState(sql: SqlStorage, runs: number[], state: RunState): void {
  sql.exec(
    'UPDATE posting_run SET state = ? WHERE run IN (SELECT value FROM json_each(?))',
    state,
    JSON.stringify(runs),
  );
}

/**
 * Appends terms in ascending order, with their postings, to a run. If `keep` is given, postings whose local
 * id it rejects are left out.
 */
export function appendToRun(
  sql: SqlStorage,
  run: number,
  entries: Iterable<[string, Postings]>,
  keep?: (local: number) => boolean,
): void {
  const wanted = keep ? filterEntries(entries, keep) : entries;
  for (const { first, body } of packBlocks(wanted, BLOCK_BYTES) as Generator<Block>) {
    sql.exec('INSERT INTO posting_block VALUES (?, ?, ?)', run, first, body);
  }
}

function* filterEntries(
  entries: Iterable<[string, Postings]>,
  keep: (local: number) => boolean,
): Generator<[string, Postings]> {
  for (const [term, postings] of entries) yield [term, filterPostings(postings, keep)];
}

/**
 * Returns the postings of terms in all runs that queries read. One statement reads all of them, because a statement
 * costs more than a term.
 */
export function findPostings(sql: SqlStorage, terms: readonly string[]): Map<string, Postings> {
  // Terms are sorted within a run. So only one block can contain a term: the last one that does not begin after it.
  const blocks = sql.exec<{ term: string; body: ArrayBuffer | null }>(
    `SELECT w.value AS term,
       (SELECT body FROM posting_block b WHERE b.run = r.run AND b.first_term <= w.value
        ORDER BY b.first_term DESC LIMIT 1) AS body
     FROM json_each(?) w CROSS JOIN posting_run r WHERE r.state = 'searched'`,
    JSON.stringify(terms),
  );
  const parts = new Map<string, Postings[]>(terms.map((term) => [term, []]));
  for (const { term, body } of blocks) {
    const found = body === null ? undefined : findInBlock(body, term);
    if (found !== undefined) parts.get(term)!.push(found);
  }
  return new Map([...parts].map(([term, found]) => [term, joinPostings(found)]));
}

/**
 * Yields the terms of a run after the given term. Reads one block at a time, because SQLite cursors do not
 * survive writes to their table.
 */
export function* readRun(
  sql: SqlStorage,
  run: number,
  after: string,
): Generator<[term: string, postings: Postings]> {
  let block = readBlockNear(sql, run, 'first_term <= ? ORDER BY first_term DESC', after);
  block ??= readBlockNear(sql, run, 'first_term > ? ORDER BY first_term', after);
  while (block !== undefined) {
    for (const entry of unpackBlock(block.body)) if (compareCodePoints(entry[0], after) > 0) yield entry;
    block = readBlockNear(sql, run, 'first_term > ? ORDER BY first_term', block.first_term);
  }
}

function readBlockNear(sql: SqlStorage, run: number, where: string, term: string) {
  return sql
    .exec<{ first_term: string; body: ArrayBuffer }>(
      `SELECT first_term, body FROM posting_block WHERE run = ? AND ${where} LIMIT 1`,
      run,
      term,
    )
    .toArray()[0];
}
