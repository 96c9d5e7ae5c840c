import { mergeStreams, type Postings } from '#src/search/postings.ts';
import { appendToRun, createRun, listSearchedRuns, type Run, readRun, setRunState } from './posting-runs.ts';

/** Number of runs of similar size that are merged into one larger run. */
const FAN_IN = 4;
const SMALLEST_RUN = 2_048;
/**
 * Approximate number of postings per step, so that queries wait a few milliseconds and not for a whole merge.
 */
const POSTINGS_PER_STEP = 100_000;
const DELETED_BLOCKS_PER_STEP = 256;

function getSizeClass({ chunks }: Run): number {
  return Math.max(0, Math.floor(Math.log(chunks / SMALLEST_RUN) / Math.log(FAN_IN)));
}

/** Returns the runs to merge next: at least `FAN_IN` of similar size, or none. */
export function findMergeableRuns(sql: SqlStorage): Run[] {
  const classes = Map.groupBy(listSearchedRuns(sql), getSizeClass);
  return [...classes.values()].find((runs) => runs.length >= FAN_IN) ?? [];
}

export function startMerge(sql: SqlStorage, runs: Run[]): void {
  const chunks = runs.reduce((sum, run) => sum + run.chunks, 0);
  sql.exec(
    'INSERT INTO posting_merge VALUES (?, ?, ?)',
    createRun(sql, chunks, 'written'),
    JSON.stringify(runs.map(({ run }) => run)),
    '',
  );
}

export function isMerging(sql: SqlStorage): boolean {
  return sql.exec('SELECT 1 FROM posting_merge').toArray().length > 0;
}

/**
 * Performs one step of the current merge of posting runs. Returns true once the merge is complete, from when
 * queries read the merged run.
 */
export function mergeStep(
  sql: SqlStorage,
  keep: ((local: number) => boolean) | undefined,
  postings = POSTINGS_PER_STEP,
): boolean {
  const { target, sources, after } = sql
    .exec<{ target: number; sources: string; after: string }>('SELECT * FROM posting_merge')
    .one();
  const runs = JSON.parse(sources) as number[];
  const portion = new Portion(mergeStreams(runs.map((run) => readRun(sql, run, after))), postings);
  appendToRun(sql, target, portion, keep);
  if (portion.last !== undefined) {
    sql.exec('UPDATE posting_merge SET after = ?', portion.last);
    return false;
  }
  setRunState(sql, [target], 'searched');
  setRunState(sql, runs, 'replaced');
  sql.exec('DELETE FROM posting_merge');
  return true;
}

/** The first part of a stream of postings, with about the given number of postings. */
class Portion implements Iterable<[string, Postings]> {
  readonly #entries: Iterable<[string, Postings]>;
  readonly #postings: number;
  /** Last term of the portion, or `undefined` if the stream has ended. */
  last: string | undefined;

  constructor(entries: Iterable<[string, Postings]>, postings: number) {
    this.#postings = postings;
    this.#entries = entries;
  }

  *[Symbol.iterator](): Generator<[string, Postings]> {
    let count = 0;
    for (const entry of this.#entries) {
      yield entry;
      count += entry[1].ids.length;
      if (count < this.#postings) continue;
      this.last = entry[0];
      return;
    }
  }
}

export function hasReplacedRuns(sql: SqlStorage): boolean {
  return sql.exec(`SELECT 1 FROM posting_run WHERE state = 'replaced' LIMIT 1`).toArray().length > 0;
}

export function deleteReplacedBlocks(sql: SqlStorage): void {
  const [oldest] = sql
    .exec<{ run: number }>(`SELECT run FROM posting_run WHERE state = 'replaced' ORDER BY run LIMIT 1`)
    .toArray();
  if (oldest === undefined) return;
  const { rowsWritten } = sql.exec(
    `DELETE FROM posting_block WHERE run = ? AND first_term IN (
       SELECT first_term FROM posting_block WHERE run = ? ORDER BY first_term LIMIT ?)`,
    oldest.run,
    oldest.run,
    DELETED_BLOCKS_PER_STEP,
  );
  if (rowsWritten === 0) sql.exec('DELETE FROM posting_run WHERE run = ?', oldest.run);
}
