import { expect, test } from 'vitest';
import { packStaged, RecentPostings } from '#src/search/recent-postings.ts';

const chunks = [
  { local: 1, terms: ['en:b', 'en:a'], frequencies: [2, 1] },
  { local: 65_535, terms: ['en:b', 'und:報告', 'ru:é'], frequencies: [255, 3, 4] },
  { local: 7, terms: [], frequencies: [] },
];

const expected = [
  ['en:a', { ids: Uint16Array.of(1), frequencies: Uint8Array.of(1) }],
  ['en:b', { ids: Uint16Array.of(1, 65_535), frequencies: Uint8Array.of(2, 255) }],
  ['ru:é', { ids: Uint16Array.of(65_535), frequencies: Uint8Array.of(4) }],
  ['und:報告', { ids: Uint16Array.of(65_535), frequencies: Uint8Array.of(3) }],
];

test('recent postings are sorted by term', () => {
  const recent = new RecentPostings();
  for (const chunk of chunks) recent.add(chunk.local, chunk);
  expect([...recent.entries()]).toEqual(expected);
  expect(recent.get('en:b')).toEqual(expected[1]![1]);
  expect(recent.get('en:c')).toBeUndefined();
});

test('recent postings survive packing for any value size', () => {
  for (const bytes of [1, 40, 1_000_000]) {
    const recent = new RecentPostings();
    const bodies = [...packStaged(chunks, bytes)];
    for (const body of bodies) recent.addStaged(body.buffer as ArrayBuffer);
    expect([...recent.entries()]).toEqual(expected);
    expect(bodies).toHaveLength({ 1: 5, 40: 2 }[bytes] ?? 1);
  }
  expect([...packStaged([], 100)]).toEqual([]);
});
