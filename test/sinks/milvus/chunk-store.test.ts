import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import milvus from '#src/sinks/milvus/milvus.ts';
import { MilvusChunkStore } from '#src/sinks/milvus/search/chunk-store.ts';
import { MilvusStore } from '#src/sinks/milvus/store.ts';
import { toDirection } from '#test/suites/sink/content.ts';
import { toNewRecord } from '#test/support/new-record.ts';
import { useVendors } from '#test/vendors/client.ts';

const SEARCH = 'POST /v2/vectordb/entities/search';
const buildSettings = (changes: object = {}) =>
  milvus.settings.parse({
    uri: 'http://vectors.test',
    token: 'key-of-the-vendor',
    native_search: true,
    ...changes,
  });
const buildDeps = (indexId: string) => ({
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId,
});
const open = (indexId = 'index') => new MilvusChunkStore(buildSettings(), buildDeps(indexId));
const dense = { vector: toDirection('common'), topK: 3 };
const sparse = {
  weights: {
    finding: new Map([
      ['en:common', 1],
      ['en:rare', 1],
    ]),
    ranking: new Map(),
  },
  topK: 2,
};

async function openFilled(...texts: string[]): Promise<MilvusChunkStore> {
  const store = open();
  await store.ensure(8);
  await store.write(texts.map(toNewRecord));
  return store;
}

describe('search that Milvus carries', () => {
  const vendors = useVendors({ vendor: 'milvus', base: 'http://vectors.test:19530' });

  it('asks for each arm with one request, in which Milvus weighs rare words higher', async () => {
    const store = await openFilled('common', 'common', 'common rare', 'common');
    const found = await store.search({ dense, sparse });
    const searches = (await vendors.current.state()).seen.filter(({ operation }) => operation === SEARCH);
    expect(searches).toHaveLength(2);
    expect(found.dense.map(({ score }) => score)).toEqual([1, 1, 1].map((one) => expect.closeTo(one, 5)));
    expect(found.sparse.map(({ chunk }) => chunk.text)).toEqual(['common rare', 'common']);
    expect(found.sparse[0]!.score).toBeGreaterThan(2 * found.sparse[1]!.score);
  });

  it('finds no chunks by words that only rank', async () => {
    const store = await openFilled('common');
    const weights = { finding: new Map<string, number>(), ranking: new Map([['en:common', 0.1]]) };
    expect(await store.search({ sparse: { weights, topK: 5 } })).toEqual({ dense: [], sparse: [] });
  });

  it('returns chunks that are longer than one field, and refuses those that are longer than all', async () => {
    const text = `${'\ufeff\u{1f600}'.repeat(20_000)} common`;
    const store = await openFilled(text, 'common');
    expect((await store.list({ documentId: '0', version: 1, from: 0, limit: 5 }))[0]!.chunk.text).toBe(text);
    const write = store.write([toNewRecord('x'.repeat(600_000), 3)]);
    await expect(write).rejects.toMatchObject({ name: 'SinkError', retryable: false });
    await expect(write).rejects.toThrow(/chunk node 3 has \d{7} bytes/);
  });

  it('keeps the vectors of changed records and ignores unknown ones', async () => {
    const store = await openFilled();
    const [known, unknown] = [toNewRecord('common', 0), toNewRecord('common', 1)];
    await store.write([known]);
    const { vector: _, ...change } = known;
    const { vector: __, ...other } = unknown;
    await store.update([{ ...change, chunk: { ...change.chunk, title: 'New' } }, other]);
    const found = await store.search({ dense });
    expect(found.dense).toMatchObject([{ score: expect.closeTo(1, 5), chunk: { title: 'New' } }]);
  });

  it('leaves out entities in another format', async () => {
    const store = await openFilled('common');
    const data = [{ distance: 1, record: '{"rowId":5}' }, { distance: 1 }, { record: '' }];
    await vendors.current.fail({ kind: 'body', body: JSON.stringify({ code: 0, data }), on: SEARCH });
    expect(await store.search({ sparse })).toEqual({ dense: [], sparse: [] });
  });

  it('refuses a collection of the other mode with an error that names the setting', async () => {
    await openFilled('common');
    await milvus.check(buildSettings(), buildDeps('index'));
    const vectors = new MilvusStore(buildSettings({ native_search: false }), buildDeps('vectors'));
    await expect(vectors.ensure(8)).rejects.toThrow(
      /sluice \(collection_name\) has no field title .* without native_search/,
    );
    const other = buildSettings({ collection_name: 'vectors' });
    await new MilvusStore({ ...other, native_search: false }, buildDeps('vectors')).ensure(8);
    await expect(milvus.check(other, buildDeps('index'))).rejects.toMatchObject({
      issues: [{ loc: ['body', 'component', 'collection_name'] }],
    });
    await expect(new MilvusChunkStore(other, buildDeps('index')).ensure(8)).rejects.toThrow(
      /vectors \(collection_name\) has no field record .* with native_search/,
    );
  });
});
