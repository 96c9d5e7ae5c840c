import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import {
  deleteReplacedStep,
  hasReplacedRuns,
  isMerging,
  mergeStep,
  startMerge,
} from '#objects/search-shard/postings/posting-merge.ts';
import {
  appendToRun,
  findPostings,
  openRun,
  searchedRuns,
} from '#objects/search-shard/postings/posting-runs.ts';
import type { Postings } from '#src/search/postings.ts';
import { freshShard } from './shard.ts';

const RUNS = 5;

/** Terms that some runs share; long enough that a run has several blocks. */
function entriesOf(run: number): [string, Postings][] {
  return Array.from({ length: 3_000 }, (_, i): [string, Postings] => [
    `en:${String(i * (1 + (run % 2)) + run).padStart(5, '0')}${'x'.repeat(20)}`,
    { ids: Uint16Array.of(run * 10_000 + i), frequencies: Uint8Array.of(1 + (i % 9)) },
  ]);
}

const sorted = ({ ids, frequencies }: Postings) =>
  [...ids].map((id, i) => [id, frequencies[i]!]).sort((a, b) => a[0]! - b[0]!);

test('a merge goes in steps, and every term is found the same before, between and after them', async () => {
  await runInDurableObject(freshShard(), (_, { storage: { sql } }) => {
    const expected = new Map<string, number[][]>();
    for (let run = 0; run < RUNS; run++) {
      const entries = entriesOf(run);
      appendToRun(sql, openRun(sql, 2_048, 'searched'), entries);
      for (const [term, postings] of entries) {
        expected.set(term, [...(expected.get(term) ?? []), ...sorted(postings)]);
      }
    }
    const sample = [...expected.keys()].filter((_, i) => i % 61 === 0);
    const check = (dropped: (id: number) => boolean = () => false) => {
      for (const term of sample) {
        const kept = expected.get(term)!.filter(([id]) => !dropped(id!));
        expect(sorted(findPostings(sql, term))).toEqual(kept);
      }
      expect(findPostings(sql, 'en:none').ids).toHaveLength(0);
    };
    check();

    startMerge(sql, searchedRuns(sql));
    let steps = 0;
    // What comes in meanwhile is searched beside the merge and left alone by it.
    const late = openRun(sql, 100, 'searched');
    while (!mergeStep(sql, undefined, 700)) {
      check();
      steps++;
    }
    expect(steps).toBeGreaterThan((RUNS * 3_000) / 700 / 2);
    expect(isMerging(sql)).toBe(false);
    check();
    expect(searchedRuns(sql).map(({ run }) => run)).toEqual([late, late - 1].sort((a, b) => a - b));
    while (hasReplacedRuns(sql)) deleteReplacedStep(sql);
    check();
    const blocks = sql.exec('SELECT DISTINCT run FROM posting_block').toArray();
    expect(blocks).toEqual([{ run: late - 1 }]);

    // Chunks that are gone leave the postings with the next merge.
    const gone = (id: number) => id % 3 === 0;
    startMerge(sql, searchedRuns(sql));
    while (!mergeStep(sql, (id) => !gone(id), 5_000));
    check(gone);
  });
});
