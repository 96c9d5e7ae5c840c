import { describe, expect, it } from 'vitest';
import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { OpenSearchChunkStore } from '#src/sinks/opensearch/search/chunk-store.ts';
import { toDirection } from '#test/suites/sink/content.ts';
import { toNewRecord } from '#test/support/new-record.ts';
import { useVendors } from '#test/vendors/client.ts';
import { buildComponent, buildDeps, PRODUCTS } from '../stores.ts';

const BULK = 'POST /{index}/_bulk';
const SEVERAL = 'POST /{index}/_msearch';
const sparse = { weights: { finding: new Map([['en:walrus', 1]]), ranking: new Map() }, topK: 20 };

describe.each(PRODUCTS)('requests for whole chunks to $name', (product) => {
  const vendors = useVendors(product);
  const listBodies = async (on: string) =>
    (await vendors.current.state()).seen
      .filter(({ operation }) => operation === on)
      .map(({ body }) => String(body));
  const readLines = (body: string) =>
    body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  async function open() {
    const settings = opensearch.settings.parse(buildComponent(product, { native_search: true }));
    const store = new OpenSearchChunkStore(settings, buildDeps('index'));
    await store.ensure(8);
    return store;
  }

  it('change long chunks with several requests that the cluster accepts', async () => {
    const store = await open();
    const records = Array.from({ length: 6 }, (_, at) => toNewRecord('walrus', at));
    await store.write(records);
    const text = 'x'.repeat(3_000_000);
    await store.update(records.map((record) => ({ ...record, chunk: { ...record.chunk, text } })));
    const [, ...sent] = await listBodies(BULK);
    expect(sent.map((body) => readLines(body).length / 2)).toEqual([2, 2, 2]);
    expect((await store.list({ documentId: '5', version: 1, from: 0, limit: 1 }))[0]!.chunk.text).toBe(text);
  });

  it('let the cluster repeat an update of a document that changes at the same moment', async () => {
    const store = await open();
    const record = toNewRecord('walrus', 0);
    await store.update([record]);
    const [sent] = await listBodies(BULK);
    expect(readLines(sent!)[0]).toEqual({ update: { _id: record.rowId, retry_on_conflict: 3 } });
  });

  it('fail if they change chunks of an index that was deleted', async () => {
    const store = await open();
    const record = toNewRecord('walrus', 0);
    await store.write([record]);
    await vendors.current.lose('dropped');
    await expect(store.update([record])).rejects.toMatchObject({ name: 'SinkError', status: 404 });
  });

  it('are not sent for vectors of another dimension than the first', async () => {
    const store = await open();
    await expect(store.ensure(16)).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: false, message: expect.stringMatching(/ 8 dimensions.* 16/) },
    });
  });

  it('find the newest versions of a chunk that has more versions than one answer', async () => {
    const store = await open();
    const [first, ...others] = Array.from({ length: 102 }, (_, at) => ({
      ...toNewRecord('walrus', 0),
      version: at + 1,
    }));
    await store.write([...others, first!]);
    const found = await store.find('node 0');
    expect(found.map(({ version }) => version)).toEqual(Array.from({ length: 100 }, (_, at) => 102 - at));
  });

  it('report the failure that cannot pass if both searches fail', async () => {
    const store = await open();
    const fail = (status: number, reason: string) => ({ status, error: { type: 'failed', reason } });
    const responses = [fail(429, 'the queue is full'), fail(400, 'the query is wrong')];
    await vendors.current.fail({ kind: 'body', on: SEVERAL, body: JSON.stringify({ responses }) });
    const dense = { vector: toDirection('walrus'), topK: 5 };
    await expect(store.search({ dense, sparse })).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: false, status: 400 },
      message: `${product.name} failed to search index shared with status 400: the query is wrong`,
    });
    expect(await listBodies(SEVERAL)).toHaveLength(1);
  });

  it('reject results of a search that ran out of time', async () => {
    const store = await open();
    const responses = [{ status: 200, timed_out: true, _shards: { failed: 0 }, hits: { hits: [] } }];
    await vendors.current.fail({ kind: 'body', on: SEVERAL, body: JSON.stringify({ responses }) });
    await expect(store.search({ sparse })).rejects.toMatchObject({ name: 'SinkError', retryable: true });
  });

  if (product.vendor === 'elasticsearch') {
    it.each([
      [2, 100],
      [300, 600],
    ])('consider more candidates than the %i nearest chunks', async (topK, candidates) => {
      const store = await open();
      await store.search({ dense: { vector: toDirection('walrus'), topK } });
      const [sent] = await listBodies(SEVERAL);
      expect(readLines(sent!)[1]).toMatchObject({ size: topK, knn: { k: topK, num_candidates: candidates } });
    });
  }
});
