import { expect, it } from 'vitest';
import { batchesOf, pointsOf } from '#src/sinks/external/points.ts';
import { chunks, document } from '#test/suites/sink/content.ts';

const sizes = async (texts: string[], limits: { points: number; bytes: number }) => {
  const points = await pointsOf('index', document('a'), chunks('a', 1, texts));
  return [...batchesOf(points, limits)].map((batch) => batch.length);
};

it('goes in as many calls as the store’s limits ask for', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e'];
  expect(await sizes(texts, { points: 2, bytes: 1e9 })).toEqual([2, 2, 1]);
  expect(await sizes(texts, { points: 100, bytes: 1e9 })).toEqual([5]);
  // Each is 504 bytes of vector, ids and punctuation, and its words.
  expect(await sizes(texts, { points: 100, bytes: 1_100 })).toEqual([2, 2, 1]);
  expect(await sizes(['x'.repeat(2_000), 'b', 'c'], { points: 100, bytes: 1_100 })).toEqual([1, 2]);
  expect(await sizes([], { points: 2, bytes: 10 })).toEqual([]);
});

it('has the same ids whenever the same version is written, and others for anything else', async () => {
  const idsOf = async (indexId: string, documentId: string, version: number) =>
    (await pointsOf(indexId, document(documentId, version), chunks(documentId, version, ['a', 'b']))).map(
      ({ id }) => id,
    );
  expect(await idsOf('index', 'a', 1)).toEqual(await idsOf('index', 'a', 1));
  const all = await Promise.all([idsOf('index', 'a', 1), idsOf('index', 'a', 2), idsOf('other', 'a', 1)]);
  expect(new Set(all.flat()).size).toBe(6);
});
