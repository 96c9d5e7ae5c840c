import { expect, it } from 'vitest';
import { splitIntoRanges } from '#src/documents/page-selection.ts';
import { groupIntoParts } from '#src/services/sync/file-parts.ts';

it('makes each range a part while there are few ranges', () => {
  expect(groupIntoParts(splitIntoRanges(500))).toEqual(splitIntoRanges(500));
});

it('limits the number of parts of a large file, and divides the ranges evenly', () => {
  const parts = groupIntoParts(splitIntoRanges(10_000));
  expect(parts).toHaveLength(16);
  expect(parts.flatMap(({ from, to }) => splitIntoRanges(to, from))).toEqual(splitIntoRanges(10_000));
  for (const { from, to } of parts.slice(0, -1)) expect(to - from).toBe(20 * 32);
});

it('splits parts where ranges are not adjacent', () => {
  const missing = splitIntoRanges(4_000).filter(({ from }) => from !== 32 && from !== 3_200);
  const parts = groupIntoParts(missing);
  expect(parts.flatMap(({ from, to }) => splitIntoRanges(to, from))).toEqual(missing);
  expect(parts.slice(0, 2)).toEqual([
    { from: 0, to: 32 },
    { from: 64, to: 320 },
  ]);
});
