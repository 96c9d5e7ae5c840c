import { expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { toODataFilter } from '#src/sinks/azure-ai-search/filter.ts';
import { parseFilterableKeys } from '#src/sinks/azure-ai-search/filterable.ts';
import { AzureSearchStore } from '#src/sinks/azure-ai-search/store.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { preFilterSuite } from '#test/suites/pre-filter.suite.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'azure-ai-search', base: 'https://search.test' });

const KEYS = {
  ...{ word: 'String', flag: 'Edm.Boolean', small: 'Int32', large: 'int64', real: 5 },
  ...{ "it's": ['odd', 'Collection'], 'a.b': 'dotted', plain: '' },
};

function open(indexId: string) {
  const settings = azureAiSearch.settings.parse({
    search_service_api_key: 'key-of-the-vendor',
    search_service_endpoint: 'https://search.test',
    filterable_metadata_field_keys: KEYS,
  });
  const deps = {
    fetch,
    log: createLogger(),
    settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  };
  return new AzureSearchStore(settings, { ...deps, indexId });
}

async function storeWith(documents: Metadata[]) {
  const store = open(crypto.randomUUID());
  await store.ensure(8);
  await store.upsert(documents.map(toVectorPoint));
  const queryIds = async (preFilter: PreFilter) =>
    (await store.query(toDirection('x'), 100, { preFilter })).map(({ documentId }) => documentId).sort();
  return { store, queryIds };
}

preFilterSuite({ name: 'Azure AI Search', open, keys: Object.keys(KEYS), longText: 33_000 });

it.each<[PreFilter, string[]]>([
  [{ key: 'word', oneOf: ["it's", 'x'] }, ['0', '1']],
  [{ key: 'word', oneOf: ["x' or 1 eq 1"] }, []],
  [{ key: "it's", oneOf: ['b'] }, ['2']],
  [{ key: 'small', least: 1.5, most: 2 }, ['3']],
  [{ key: 'flag', oneOf: ['true', true] }, ['4']],
  [
    {
      all: [
        { key: 'word', oneOf: ['x'] },
        { key: 'small', oneOf: [9] },
      ],
    },
    [],
  ],
  // Values that a field cannot store pass the filter.
  [{ key: 'large', oneOf: [1] }, ['5']],
])('%j excludes documents that do not match', async (preFilter, expected) => {
  const { queryIds } = await storeWith([
    { word: "it's" },
    { word: 'x' },
    { "it's": ['a', 'b'] },
    { small: 2 },
    { flag: true },
    { large: 'many' },
  ]);
  expect(await queryIds(preFilter)).toEqual(expected);
});

it('pre-filter with too many values matches everything', () => {
  const oneOf = Array.from({ length: 300 }, (_, i) => String(i));
  expect(toODataFilter({ key: 'word', oneOf: oneOf.slice(0, 100) }, parseFilterableKeys(KEYS))).toBeDefined();
  expect(toODataFilter({ key: 'word', oneOf }, parseFilterableKeys(KEYS))).toBeUndefined();
});

it('only keys with a field can be filtered', async () => {
  const { store } = await storeWith([{}]);
  expect(['word', 'a.b', "it's"].map((key) => store.isFilterable(key, 'oneOf'))).toEqual([true, true, true]);
  expect(['odd', 'text', 'id'].map((key) => store.isFilterable(key, 'oneOf'))).toEqual([false, false, false]);
});
