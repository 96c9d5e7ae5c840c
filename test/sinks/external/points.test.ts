import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitIntoBatches, toPoints } from '#src/sinks/external/points.ts';
import { chunks, document } from '#test/suites/sink/content.ts';
import { runs } from '#test/support/seed.ts';

const sizes = async (texts: string[], limits: { points: number; bytes: number }) => {
  const points = await toPoints('index', document('a'), chunks('a', 1, texts));
  return [...splitIntoBatches(points, limits)].map((batch) => batch.length);
};

it('points are sent in batches within the limits of the store', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e'];
  expect(await sizes(texts, { points: 2, bytes: 1e9 })).toEqual([2, 2, 1]);
  expect(await sizes(texts, { points: 100, bytes: 1e9 })).toEqual([5]);
  // Each point has 608 bytes of vector and punctuation, and about 140 bytes of text, ids and numbers.
  expect(await sizes(texts, { points: 100, bytes: 1_600 })).toEqual([2, 2, 1]);
  expect(await sizes(['x'.repeat(2_000), 'b', 'c'], { points: 100, bytes: 1_600 })).toEqual([1, 2]);
  // Ids count too and can be as long as titles.
  const points = await toPoints('index', document('d'.repeat(400), 1, { title: '' }), chunks('a', 1, texts));
  expect([...splitIntoBatches(points, { points: 100, bytes: 3_300 })].map((batch) => batch.length)).toEqual([
    2, 2, 1,
  ]);
  expect(await sizes([], { points: 2, bytes: 10 })).toEqual([]);
});

// Every external store sends its batches through this code, so it is tested with many cases here and not by each driver.
it('a batch never exceeds the byte limit for any vector', async () => {
  const bits = fc.array(fc.integer({ min: 0, max: 0xff_ff_ff_ff }), { minLength: 1_000, maxLength: 1_000 });
  const small = fc.array(fc.integer({ min: 0xb5_86_37_bd, max: 0xb7_27_c5_ac }), {
    minLength: 1_000,
    maxLength: 1_000,
  });
  const limits = { points: 1_000, bytes: 60_000 };
  await fc.assert(
    fc.asyncProperty(fc.oneof(bits, small), fc.string({ maxLength: 500 }), async (drawn, documentId) => {
      const vector = new Float32Array(Uint32Array.from(drawn).buffer).map((x) =>
        Number.isFinite(x) ? x : 1,
      );
      const of = chunks(
        'a',
        1,
        Array.from({ length: 10 }, (_, i) => `${i}`),
      );
      const points = await toPoints(
        'index',
        document(documentId),
        of.map((chunk) => ({ ...chunk, vector })),
      );
      for (const batch of splitIntoBatches(points, limits)) {
        const sent = JSON.stringify(batch.map((point) => ({ ...point, vector: [...point.vector] })));
        expect(new TextEncoder().encode(sent).length).toBeLessThanOrEqual(limits.bytes);
      }
    }),
    { numRuns: runs(200) },
  );
});

it('point ids depend only on index, document, version and chunk', async () => {
  const listPointIds = async (indexId: string, documentId: string, version: number) =>
    (await toPoints(indexId, document(documentId, version), chunks(documentId, version, ['a', 'b']))).map(
      ({ id }) => id,
    );
  expect(await listPointIds('index', 'a', 1)).toEqual(await listPointIds('index', 'a', 1));
  const all = await Promise.all([
    listPointIds('index', 'a', 1),
    listPointIds('index', 'a', 2),
    listPointIds('other', 'a', 1),
  ]);
  expect(new Set(all.flat()).size).toBe(6);
});
