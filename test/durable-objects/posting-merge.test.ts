import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import {
  deleteReplacedBlocks,
  hasReplacedRuns,
  isMerging,
  mergeStep,
  startMerge,
} from '#objects/search-shard/postings/posting-merge.ts';
import {
  appendToRun,
  createRun,
  findPostings,
  listSearchedRuns,
} from '#objects/search-shard/postings/posting-runs.ts';
import type { Postings } from '#src/search/postings.ts';
import { freshShard } from './shard.ts';

const RUNS = 5;

/** Returns terms that some runs share. The run is long enough for several blocks. */
function createEntries(run: number): [string, Postings][] {
  return Array.from({ length: 3_000 }, (_, i): [string, Postings] => [
    `en:${String(i * (1 + (run % 2)) + run).padStart(5, '0')}${'x'.repeat(20)}`,
    { ids: Uint16Array.of(run * 10_000 + i), frequencies: Uint8Array.of(1 + (i % 9)) },
  ]);
}

const sorted = ({ ids, frequencies }: Postings) =>
  [...ids].map((id, i) => [id, frequencies[i]!]).sort((a, b) => a[0]! - b[0]!);

test('a merge runs in steps, and queries find the same postings before, during and after the merge', async () => {
  await runInDurableObject(freshShard(), (_, { storage: { sql } }) => {
    const expected = new Map<string, number[][]>();
    for (let run = 0; run < RUNS; run++) {
      const entries = createEntries(run);
      appendToRun(sql, createRun(sql, 2_048, 'searched'), entries);
      for (const [term, postings] of entries) {
        expected.set(term, [...(expected.get(term) ?? []), ...sorted(postings)]);
      }
    }
    const sample = [...expected.keys()].filter((_, i) => i % 61 === 0);
    const check = (dropped: (id: number) => boolean = () => false) => {
      const found = findPostings(sql, [...sample, 'en:none']);
      for (const term of sample) {
        const kept = expected.get(term)!.filter(([id]) => !dropped(id!));
        expect(sorted(found.get(term)!)).toEqual(kept);
      }
      expect(found.get('en:none')!.ids).toHaveLength(0);
    };
    check();

    startMerge(sql, listSearchedRuns(sql));
    let steps = 0;
    // Runs added during the merge are searched and not merged.
    const late = createRun(sql, 100, 'searched');
    while (!mergeStep(sql, undefined, 700)) {
      check();
      steps++;
    }
    expect(steps).toBeGreaterThan((RUNS * 3_000) / 700 / 2);
    expect(isMerging(sql)).toBe(false);
    check();
    expect(listSearchedRuns(sql).map(({ run }) => run)).toEqual([late, late - 1].sort((a, b) => a - b));
    while (hasReplacedRuns(sql)) deleteReplacedBlocks(sql);
    check();
    const blocks = sql.exec('SELECT DISTINCT run FROM posting_block').toArray();
    expect(blocks).toEqual([{ run: late - 1 }]);

    // Removed chunks leave the postings with the next merge.
    const gone = (id: number) => id % 3 === 0;
    startMerge(sql, listSearchedRuns(sql));
    while (!mergeStep(sql, (id) => !gone(id), 5_000));
    check(gone);
  });
});
