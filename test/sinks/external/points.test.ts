import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchesOf, pointsOf } from '#src/sinks/external/points.ts';
import { chunks, document } from '#test/suites/sink/content.ts';
import { runs } from '#test/support/seed.ts';

const sizes = async (texts: string[], limits: { points: number; bytes: number }) => {
  const points = await pointsOf('index', document('a'), chunks('a', 1, texts));
  return [...batchesOf(points, limits)].map((batch) => batch.length);
};

it('goes in as many calls as the store’s limits ask for', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e'];
  expect(await sizes(texts, { points: 2, bytes: 1e9 })).toEqual([2, 2, 1]);
  expect(await sizes(texts, { points: 100, bytes: 1e9 })).toEqual([5]);
  // Each is 608 bytes of vector and punctuation, and 140 or so of words, ids and numbers.
  expect(await sizes(texts, { points: 100, bytes: 1_600 })).toEqual([2, 2, 1]);
  expect(await sizes(['x'.repeat(2_000), 'b', 'c'], { points: 100, bytes: 1_600 })).toEqual([1, 2]);
  // Ids count, which may be as long as titles.
  const points = await pointsOf('index', document('d'.repeat(400), 1, { title: '' }), chunks('a', 1, texts));
  expect([...batchesOf(points, { points: 100, bytes: 3_300 })].map((batch) => batch.length)).toEqual([
    2, 2, 1,
  ]);
  expect(await sizes([], { points: 2, bytes: 10 })).toEqual([]);
});

it('is never more than one call carries, whatever the numbers of its vectors', async () => {
  const bits = fc.array(fc.integer({ min: 0, max: 0xff_ff_ff_ff }), { minLength: 1_000, maxLength: 1_000 });
  const small = fc.array(fc.integer({ min: 0xb5_86_37_bd, max: 0xb7_27_c5_ac }), {
    minLength: 1_000,
    maxLength: 1_000,
  });
  const limits = { points: 1_000, bytes: 200_000 };
  await fc.assert(
    fc.asyncProperty(fc.oneof(bits, small), fc.string({ maxLength: 500 }), async (drawn, documentId) => {
      const vector = new Float32Array(Uint32Array.from(drawn).buffer).map((x) =>
        Number.isFinite(x) ? x : 1,
      );
      const of = chunks(
        'a',
        1,
        Array.from({ length: 30 }, (_, i) => `${i}`),
      );
      const points = await pointsOf(
        'index',
        document(documentId),
        of.map((chunk) => ({ ...chunk, vector })),
      );
      for (const batch of batchesOf(points, limits)) {
        const sent = JSON.stringify(batch.map((point) => ({ ...point, vector: [...point.vector] })));
        expect(new TextEncoder().encode(sent).length).toBeLessThanOrEqual(limits.bytes);
      }
    }),
    { numRuns: runs(20) },
  );
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
