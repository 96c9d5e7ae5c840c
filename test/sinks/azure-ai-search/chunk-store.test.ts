import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { AzureChunkStore } from '#src/sinks/azure-ai-search/search/chunk-store.ts';
import { AzureSearchStore } from '#src/sinks/azure-ai-search/store.ts';
import type { ChunkSearchResult } from '#src/sinks/native/ledger/chunk-store.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { toNewRecord } from '#test/support/new-record.ts';
import { useVendors } from '#test/vendors/client.ts';

const VENDOR = { vendor: 'azure-ai-search', base: 'https://search.test' };
const SEARCH = "POST /indexes('{indexName}')/docs/search.post.search";
const buildSettings = (changes: object = {}) =>
  azureAiSearch.settings.parse({
    search_service_api_key: 'key-of-the-vendor',
    search_service_endpoint: 'https://search.test',
    native_search: true,
    ...changes,
  });
const buildDeps = (indexId: string) => ({
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId,
});
const open = (indexId = 'index', changes: object = {}) =>
  new AzureChunkStore(buildSettings(changes), buildDeps(indexId));
const toWeights = (...terms: [string, number][]) => ({ finding: new Map(terms), ranking: new Map() });
const dense = { vector: toDirection('common'), topK: 3 };
const sparse = { weights: toWeights(['en:common', 1], ['en:rare', 1]), topK: 4 };
const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });

/** Orders the results of each arm by id, because equal scores have no order. */
const toSorted = ({ dense: near, sparse: worded }: ChunkSearchResult) =>
  [near, worded].map((found) => found.toSorted((one, other) => (one.rowId < other.rowId ? -1 : 1)));

async function openFilled(): Promise<AzureChunkStore> {
  const store = open();
  await store.ensure(8);
  await store.write(['common', 'common', 'common rare', 'common'].map(toNewRecord));
  return store;
}

describe('search that Azure AI Search carries', () => {
  const vendors = useVendors(VENDOR);
  const searches = async () =>
    (await vendors.current.state()).seen
      .filter(({ operation }) => operation === SEARCH)
      .map(({ body }) => body as Record<string, unknown>);

  it('asks for both arms with one request, in which Azure weighs rare words higher', async () => {
    const store = await openFilled();
    const before = (await searches()).length;
    const found = await store.search({ dense, sparse });
    expect(await searches()).toHaveLength(before + 1);
    expect((await searches()).at(-1)).toMatchObject({
      ...{ searchFields: 'sluice_words', debug: 'vector', scoringStatistics: 'global', top: 8 },
      search: 'en\\:common^1.0000 en\\:rare^1.0000',
    });
    expect(found.dense.map(({ score }) => score)).toEqual([1, 1, 1].map((one) => expect.closeTo(one, 5)));
    expect(found.sparse.map(({ chunk }) => chunk.text)).toEqual([
      'common rare',
      'common',
      'common',
      'common',
    ]);
    expect(found.sparse[0]!.score).toBeGreaterThan(2 * found.sparse[1]!.score);
    const [near, worded] = [await store.search({ dense }), await store.search({ sparse })];
    expect(toSorted(found)).toEqual(toSorted({ dense: near.dense, sparse: worded.sparse }));
  });

  it('asks for each arm if the answer lacks the scores of the arms', async () => {
    const store = await openFilled();
    const found = await store.search({ dense, sparse });
    await vendors.current.hold({ 'azure-ai-search': { plain: true } });
    const before = (await searches()).length;
    expect(toSorted(await store.search({ dense, sparse }))).toEqual(toSorted(found));
    expect(await searches()).toHaveLength(before + 3);
  });

  it('reads several pages of each arm if one response cannot contain the results', async () => {
    const store = open();
    await store.ensure(8);
    await store.write(Array.from({ length: 1_000 }, (_, at) => toNewRecord('common', at)));
    await store.write(Array.from({ length: 200 }, (_, at) => toNewRecord('common', 1_000 + at)));
    const found = await store.search({ dense: { ...dense, topK: 1_100 }, sparse: { ...sparse, topK: 501 } });
    expect([found.dense.length, found.sparse.length]).toEqual([1_100, 501]);
    expect(new Set(found.dense.map(({ rowId }) => rowId)).size).toBe(1_100);
    const fewer = await store.search({ dense: { ...dense, topK: 501 }, sparse: { ...sparse, topK: 501 } });
    expect([fewer.dense.length, fewer.sparse.length]).toEqual([501, 501]);
  });

  it('waits until searches find what was written', async () => {
    await vendors.current.hold({ 'azure-ai-search': { unseen: 2 } });
    const store = await openFilled();
    expect(await searches()).toHaveLength(3);
    expect((await store.search({ sparse })).sparse).toHaveLength(4);
  });

  it('leaves out documents with invalid fields', async () => {
    const store = await openFilled();
    const value = [
      { '@search.score': 1, sluice_record: '{"rowId":5}' },
      { '@search.score': 1, sluice_record: 'no JSON' },
      { '@search.score': 1 },
    ];
    await vendors.current.fail({ kind: 'body', body: JSON.stringify({ value }), on: SEARCH });
    expect(await store.search({ sparse })).toEqual({ dense: [], sparse: [] });
  });

  it('shares an index with the other mode', async () => {
    const vectors = new AzureSearchStore(buildSettings({ native_search: false }), buildDeps('vectors'));
    await vectors.ensure(8);
    await vectors.upsert([toVectorPoint({}, 1)]);
    const store = await openFilled();
    await vectors.ensure(8);
    expect(await vectors.query(toDirection('x'), 9)).toHaveLength(1);
    await vectors.drop();
    expect((await store.search({ dense: { ...dense, topK: 9 } })).dense).toHaveLength(4);
  });

  it('rejects versions without scores of the arms, and indexes that rank words in another way', async () => {
    const check = (changes: object = {}) => azureAiSearch.check(buildSettings(changes), buildDeps('index'));
    await expect(check({ search_service_api_version: '2024-07-01' })).rejects.toMatchObject(
      naming('search_service_api_version'),
    );
    await openFilled();
    await check();
    const fields = [{ name: 'id', type: 'Edm.String', key: true, filterable: true, sortable: true }];
    const classic = '#Microsoft.Azure.Search.ClassicSimilarity';
    const words = { name: 'sluice_words', type: 'Edm.String', searchable: true, analyzer: 'standard.lucene' };
    for (const [index, message] of [
      [{ name: 'a', fields, similarity: { '@odata.type': classic } }, /ClassicSimilarity/],
      [{ name: 'b', fields: [...fields, words] }, /analyser standard.lucene instead of whitespace/],
    ] as const) {
      const answer = { kind: 'body', body: JSON.stringify(index) } as const;
      await vendors.current.fail(answer);
      await expect(check({ index_name: 'other' })).rejects.toMatchObject(naming('index_name'));
      await vendors.current.fail(answer);
      await expect(open('index', { index_name: 'other' }).ensure(8)).rejects.toThrow(message);
    }
  });
});
