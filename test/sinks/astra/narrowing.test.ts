import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import astra from '#src/sinks/astra/astra.ts';
import { filterOf } from '#src/sinks/astra/filter.ts';
import { isFilterable, storedMetadata } from '#src/sinks/astra/metadata.ts';
import { AstraStore } from '#src/sinks/astra/store.ts';
import type { Narrowing } from '#src/sinks/external/narrowing.ts';
import { drawn, HOSTILE, passes, pointOf } from '#test/sinks/external/narrowings.ts';
import { directionOf } from '#test/suites/sink/content.ts';
import { runs } from '#test/support/seed.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'astra-db', base: 'https://astra.test' });

async function storeWith(documents: Metadata[]) {
  const settings = astra.settings.parse({
    token: 'AstraCS:token-of-the-vendor',
    api_endpoint: 'https://astra.test',
    collection_name: 'c',
    embedding_dimension: 8,
  });
  const deps = {
    fetch,
    log: createLogger(),
    settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  };
  const store = new AstraStore(settings, { ...deps, indexId: crypto.randomUUID() });
  await store.ensure(8);
  await store.upsert(documents.map(pointOf));
  const idsOf = async (narrowing: Narrowing) =>
    (await store.query(directionOf('x'), 100, { narrowing })).map(({ documentId }) => documentId);
  return { store, idsOf };
}

it('every document that a narrowing passes is found, whatever its metadata', async () => {
  const keys = ['a', 'b', 'a.b', 'r&d', "it's", '0', ...HOSTILE.filter(isFilterable)];
  const { documents, narrowings } = drawn(keys);
  await fc.assert(
    fc.asyncProperty(documents, narrowings, async (given, asked) => {
      const { idsOf } = await storeWith(given);
      for (const narrowing of asked) {
        const expected = given.flatMap((metadata, at) => (passes(metadata, narrowing) ? [String(at)] : []));
        expect(await idsOf(narrowing), JSON.stringify(narrowing)).toEqual(expect.arrayContaining(expected));
      }
    }),
    { numRuns: runs(6) },
  );
});

it('a narrowing leaves out what it does not pass', async () => {
  const { idsOf } = await storeWith([{ 'a.b': 'x' }, { 'a.b': ['x', 'y'] }, { 'a.b': 5 }, { 'a.b': [1, 9] }]);
  expect((await idsOf({ key: 'a.b', oneOf: ['x'] })).sort()).toEqual(['0', '1']);
  // Lists of numbers are not compared by the vendor, so they pass.
  expect((await idsOf({ key: 'a.b', least: 5, most: 6 })).sort()).toEqual(['2', '3']);
});

it.each(['', '$a', '$', 'x'.repeat(401), '\ud800'])('%j is no key to narrow by', async (key) => {
  const { store, idsOf } = await storeWith([{ [key]: 'x', other: 'y' }]);
  expect(store.isFilterable(key, 'oneOf')).toBe(false);
  expect(await idsOf({ key: 'other', oneOf: ['y'] })).toEqual(['0']);
});

it('holds what the vendor cannot index as text', () => {
  const metadata = { long: 'x'.repeat(8_001), $set: 1, kept: 'y' };
  const stored = storedMetadata(metadata);
  expect(stored).toMatchObject({ metadata: { kept: 'y' }, unfilterable: ['long'] });
  expect(JSON.parse(stored.more_metadata!)).toEqual({ long: metadata.long, $set: 1 });
});

it('passes documents with more keys than the vendor takes', async () => {
  const many = Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`k${i}`, i]));
  const { idsOf } = await storeWith([many, { k7: 8 }]);
  expect(await idsOf({ key: 'k7', oneOf: [7] })).toEqual(['0']);
});

it('a narrowing of more conditions than the vendor takes lets all pass', async () => {
  const any = Array.from({ length: 40 }, (_, i) => ({ key: `k${i}`, oneOf: ['x'] }));
  expect(filterOf({ any: any.slice(0, 20) })).toBeDefined();
  expect(filterOf({ any })).toBeUndefined();
  const { idsOf } = await storeWith([{ k39: 'x' }, {}]);
  expect(await idsOf({ any: any.slice(0, 30) })).toEqual([]);
  expect((await idsOf({ any })).sort()).toEqual(['0', '1']);
});
