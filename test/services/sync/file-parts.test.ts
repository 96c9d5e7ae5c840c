import { expect, it } from 'vitest';
import { rangesOf } from '#src/documents/page-selection.ts';
import { partsOf } from '#src/services/sync/file-parts.ts';

it('gives each range to another as long as those are few', () => {
  expect(partsOf(rangesOf(500))).toEqual(rangesOf(500));
});

it('opens a file of many ranges no more often than there are takers, and covers it evenly', () => {
  const parts = partsOf(rangesOf(10_000));
  expect(parts).toHaveLength(16);
  expect(parts.flatMap(({ from, to }) => rangesOf(to, from))).toEqual(rangesOf(10_000));
  for (const { from, to } of parts.slice(0, -1)) expect(to - from).toBe(20 * 32);
});

it('leaves out what lies between ranges that are not next to each other', () => {
  const missing = rangesOf(4_000).filter(({ from }) => from !== 32 && from !== 3_200);
  const parts = partsOf(missing);
  expect(parts.flatMap(({ from, to }) => rangesOf(to, from))).toEqual(missing);
  expect(parts.slice(0, 2)).toEqual([
    { from: 0, to: 32 },
    { from: 64, to: 320 },
  ]);
});
