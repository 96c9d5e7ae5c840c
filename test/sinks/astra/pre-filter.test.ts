import { expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import astra from '#src/sinks/astra/astra.ts';
import { toAstraFilter } from '#src/sinks/astra/filter.ts';
import { toStoredMetadata } from '#src/sinks/astra/metadata.ts';
import { AstraStore } from '#src/sinks/astra/store.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { preFilterSuite } from '#test/suites/pre-filter.suite.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'astra-db', base: 'https://astra.test' });

function open(indexId: string) {
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
  return new AstraStore(settings, { ...deps, indexId });
}

async function storeWith(documents: Metadata[]) {
  const store = open(crypto.randomUUID());
  await store.ensure(8);
  await store.upsert(documents.map(toVectorPoint));
  const queryIds = async (preFilter: PreFilter) =>
    (await store.query(toDirection('x'), 100, { preFilter })).map(({ documentId }) => documentId);
  return { store, queryIds };
}

preFilterSuite({ name: 'Astra DB', open });

it('pre-filter excludes documents that do not match', async () => {
  const { queryIds } = await storeWith([
    { 'a.b': 'x' },
    { 'a.b': ['x', 'y'] },
    { 'a.b': 5 },
    { 'a.b': [1, 9] },
  ]);
  expect((await queryIds({ key: 'a.b', oneOf: ['x'] })).sort()).toEqual(['0', '1']);
  // Astra DB does not compare lists of numbers, so they pass.
  expect((await queryIds({ key: 'a.b', least: 5, most: 6 })).sort()).toEqual(['2', '3']);
});

it.each(['', '$a', '$', 'x'.repeat(401), '\ud800'])('key %j cannot be filtered', async (key) => {
  const { store, queryIds } = await storeWith([{ [key]: 'x', other: 'y' }]);
  expect(store.isFilterable(key, 'oneOf')).toBe(false);
  expect(await queryIds({ key: 'other', oneOf: ['y'] })).toEqual(['0']);
});

it('metadata that the vendor cannot index is stored as text', () => {
  const metadata = { long: 'x'.repeat(8_001), $set: 1, kept: 'y' };
  const stored = toStoredMetadata(metadata);
  expect(stored).toMatchObject({ metadata: { kept: 'y' }, unfilterable: ['long'] });
  expect(JSON.parse(stored.more_metadata!)).toEqual({ long: metadata.long, $set: 1 });
});

it('documents with more keys than the vendor allows are found', async () => {
  const many = Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`k${i}`, i]));
  const { queryIds } = await storeWith([many, { k7: 8 }]);
  expect(await queryIds({ key: 'k7', oneOf: [7] })).toEqual(['0']);
});

it('pre-filter with too many conditions matches everything', async () => {
  const any = Array.from({ length: 40 }, (_, i) => ({ key: `k${i}`, oneOf: ['x'] }));
  expect(toAstraFilter({ any: any.slice(0, 20) })).toBeDefined();
  expect(toAstraFilter({ any })).toBeUndefined();
  const { queryIds } = await storeWith([{ k39: 'x' }, {}]);
  expect(await queryIds({ any: any.slice(0, 30) })).toEqual([]);
  expect((await queryIds({ any })).sort()).toEqual(['0', '1']);
});
