import { mergeStreams, type Postings } from '#src/search/postings.ts';
import { appendToRun, openRun, type Run, readRun, searchedRuns, setRunState } from './posting-runs.ts';

/** So many runs of like size become one of the next size. */
const FAN_IN = 4;
const SMALLEST_RUN = 2_048;
/** What one step reads and writes, so that queries wait a few milliseconds for it and not for a whole merge. */
const POSTINGS_A_STEP = 100_000;
const BLOCKS_DELETED_A_STEP = 256;

function sizeClass({ chunks }: Run): number {
  return Math.max(0, Math.floor(Math.log(chunks / SMALLEST_RUN) / Math.log(FAN_IN)));
}

/** The runs to merge next: enough of one size, or none. */
export function mergeableRuns(sql: SqlStorage): Run[] {
  const classes = Map.groupBy(searchedRuns(sql), sizeClass);
  return [...classes.values()].find((runs) => runs.length >= FAN_IN) ?? [];
}

export function startMerge(sql: SqlStorage, runs: Run[]): void {
  const chunks = runs.reduce((sum, run) => sum + run.chunks, 0);
  sql.exec(
    'INSERT INTO posting_merge VALUES (?, ?, ?)',
    openRun(sql, chunks, 'written'),
    JSON.stringify(runs.map(({ run }) => run)),
    '',
  );
}

export function isMerging(sql: SqlStorage): boolean {
  return sql.exec('SELECT 1 FROM posting_merge').toArray().length > 0;
}

/** Goes on with the merge; true when it is done, and queries read its result from then on. */
export function mergeStep(
  sql: SqlStorage,
  keep: ((local: number) => boolean) | undefined,
  postings = POSTINGS_A_STEP,
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

/** The first postings of a stream, about as many as a step does. */
class Portion implements Iterable<[string, Postings]> {
  readonly #entries: Iterable<[string, Postings]>;
  readonly #postings: number;
  /** The term it ended with; undefined when the stream ended. */
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

/** Whether there are runs that a merge has replaced. */
export function hasReplacedRuns(sql: SqlStorage): boolean {
  return sql.exec(`SELECT 1 FROM posting_run WHERE state = 'replaced' LIMIT 1`).toArray().length > 0;
}

export function deleteReplacedStep(sql: SqlStorage): void {
  const [oldest] = sql
    .exec<{ run: number }>(`SELECT run FROM posting_run WHERE state = 'replaced' ORDER BY run LIMIT 1`)
    .toArray();
  if (oldest === undefined) return;
  const { rowsWritten } = sql.exec(
    `DELETE FROM posting_block WHERE run = ? AND first_term IN (
       SELECT first_term FROM posting_block WHERE run = ? ORDER BY first_term LIMIT ?)`,
    oldest.run,
    oldest.run,
    BLOCKS_DELETED_A_STEP,
  );
  if (rowsWritten === 0) sql.exec('DELETE FROM posting_run WHERE run = ?', oldest.run);
}
