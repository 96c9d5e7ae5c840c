import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { filterOf } from '#src/sinks/azure-ai-search/filter.ts';
import { filterableOf } from '#src/sinks/azure-ai-search/filterable.ts';
import { AzureSearchStore } from '#src/sinks/azure-ai-search/store.ts';
import type { Narrowing } from '#src/sinks/external/narrowing.ts';
import { drawn, passes, pointOf } from '#test/sinks/external/narrowings.ts';
import { directionOf } from '#test/suites/sink/content.ts';
import { runs } from '#test/support/seed.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'azure-ai-search', base: 'https://search.test' });

const KEYS = {
  ...{ word: 'String', flag: 'Edm.Boolean', small: 'Int32', large: 'int64', real: 5 },
  ...{ "it's": ['odd', 'Collection'], 'a.b': 'dotted', plain: '' },
};

async function storeWith(documents: Metadata[]) {
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
  const store = new AzureSearchStore(settings, { ...deps, indexId: crypto.randomUUID() });
  await store.ensure(8);
  await store.upsert(documents.map(pointOf));
  const idsOf = async (narrowing: Narrowing) =>
    (await store.query(directionOf('x'), 100, { narrowing })).map(({ documentId }) => documentId).sort();
  return { store, idsOf };
}

it('every document that a narrowing passes is found, whatever its metadata', async () => {
  const { documents, narrowings } = drawn(Object.keys(KEYS));
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

it.each<[Narrowing, string[]]>([
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
  // What a field cannot hold is let pass.
  [{ key: 'large', oneOf: [1] }, ['5']],
])('%j leaves out what it does not pass', async (narrowing, expected) => {
  const { idsOf } = await storeWith([
    { word: "it's" },
    { word: 'x' },
    { "it's": ['a', 'b'] },
    { small: 2 },
    { flag: true },
    { large: 'many' },
  ]);
  expect(await idsOf(narrowing)).toEqual(expected);
});

it('a narrowing by many values lets all pass', () => {
  const oneOf = Array.from({ length: 300 }, (_, i) => String(i));
  expect(filterOf({ key: 'word', oneOf: oneOf.slice(0, 100) }, filterableOf(KEYS))).toBeDefined();
  expect(filterOf({ key: 'word', oneOf }, filterableOf(KEYS))).toBeUndefined();
});

it('only the keys that have a field narrow', async () => {
  const { store } = await storeWith([{}]);
  expect(['word', 'a.b', "it's"].map((key) => store.isFilterable(key, 'oneOf'))).toEqual([true, true, true]);
  expect(['odd', 'text', 'id'].map((key) => store.isFilterable(key, 'oneOf'))).toEqual([false, false, false]);
});
