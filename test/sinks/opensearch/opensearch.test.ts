import { describe, expect, it } from 'vitest';
import { toPoints } from '#src/sinks/external/points.ts';
import { chunks, document, toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { skipWaits } from '#test/support/skipped-waits.ts';
import { useVendors } from '#test/vendors/client.ts';
import { KEY, openStore, PASSWORD, PRODUCTS } from './stores.ts';

const BULK = 'POST /{index}/_bulk';
const SEARCH = 'POST /{index}/_search';
const DELETE = 'POST /{index}/_delete_by_query';
const points = (count: number) => Array.from({ length: count }, (_, at) => toVectorPoint({}, at));

describe.each(PRODUCTS)('$name sink', (product) => {
  const vendors = useVendors(product);
  const open = (changes: object = {}) => openStore(product, changes);
  const seenOf = async (operation: string) =>
    (await vendors.current.state()).seen.filter((each) => each.operation === operation);
  const readLines = (body: unknown) =>
    String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('stores each vector with its fields', async () => {
    const store = open();
    await store.ensure(8);
    const given = document('a', 3, { title: 'Annual report', metadata: { year: 2024, tags: ['x'] } });
    const [point] = await toPoints('index', given, chunks('a', 3, ['walrus']));
    await store.upsert([{ ...point!, text: 'a\ud800b', pages: { page_label: 5 } }]);
    const [sent] = await seenOf(BULK);
    expect(sent!.url).toBe(`${product.base}/shared-sluice/_bulk?refresh=true&require_alias=true`);
    expect(readLines(sent!.body)).toMatchObject([
      { index: { _id: point!.id } },
      {
        ...{ sluice_index: 'index', document_id: 'a', version: 3, position: 0, node_id: 'a/3/0' },
        ...{ title: 'Annual report', text: 'a\ufffdb', pages: '{"page_label":5}' },
        metadata: JSON.stringify({ year: 2024, tags: ['x'] }),
        metadata_values: ['["year",2024]', '["tags","x"]'],
      },
    ]);
  });

  it('finds the nearest points with their cosine similarity at once', async () => {
    const store = open();
    await store.ensure(8);
    await store.upsert(points(30));
    const found = await store.query(toDirection('7'), 10);
    expect(found).toHaveLength(10);
    expect(found[0]).toMatchObject({ documentId: '7', version: 1, position: 0 });
    expect(found[0]!.score).toBeCloseTo(1, 5);
    const [one, other] = [toDirection('7'), toDirection(found[9]!.documentId)];
    expect(found[9]!.score).toBeCloseTo(
      one.reduce((sum, x, i) => sum + x * other[i]!, 0),
      5,
    );
  });

  it('authenticates with an API key, encoded or as id and key', async () => {
    const keys = { username: null, password: null };
    await open({ ...keys, api_key: KEY }).ensure(8);
    await open({ ...keys, api_key: 'id:secret' })
      .ensure(8)
      .catch(() => {});
    const { seen } = await vendors.current.state();
    const sent = new Set(seen.map(({ headers }) => headers.authorization));
    expect(sent).toEqual(new Set([`ApiKey ${KEY}`, `ApiKey ${btoa('id:secret')}`]));
  });

  it('creates the index once for concurrent calls, and without dynamic fields', async () => {
    const store = open();
    await Promise.all([store.ensure(8), open().ensure(8)]);
    await store.ensure(8);
    const made = (await seenOf('PUT /{index}')).filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(made[0]!.body).toMatchObject({ mappings: { dynamic: 'false' }, aliases: { 'shared-sluice': {} } });
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    await open().ensure(8);
    await expect(open().ensure(16)).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: false },
      message: expect.stringMatching(/index_name.* 8 dimensions.* 16.*embedding_config/),
    });
  });

  it('replaces metadata when it describes a document again', async () => {
    const store = open();
    await store.ensure(8);
    const all = await toPoints(
      'index',
      document('a', 1, { metadata: { old: 1 } }),
      chunks('a', 1, ['x', 'y']),
    );
    await store.upsert(all);
    await store.describe({ documentId: 'a', title: 'b', metadata: { new: 2 } });
    const found = (key: string) => store.query(toDirection('x'), 5, { preFilter: { key, least: 0 } });
    expect(await found('old')).toEqual([]);
    expect(await found('new')).toHaveLength(2);
  });

  it('describes a document with more points than one page', async () => {
    const store = open();
    await store.ensure(8);
    const many = chunks(
      'a',
      1,
      Array.from({ length: 1_100 }, (_, at) => `text ${at}`),
    );
    await store.upsert(await toPoints('index', document('a'), many));
    await store.describe({ documentId: 'a', title: 'b', metadata: { year: 1 } });
    const preFilter = { key: 'year', oneOf: [1] };
    expect(await store.query(toDirection('x'), 2_000, { preFilter })).toHaveLength(1_100);
  });

  it('stores a vector of zeros, which no search finds', async () => {
    const store = open();
    await store.ensure(8);
    const point = { ...points(1)[0]!, vector: new Float32Array(8) };
    await store.upsert([point]);
    expect(await store.lookUp([point])).toEqual(new Set([point.id]));
    expect(await store.query(toDirection('x'), 5)).toEqual([]);
    expect(await store.query(new Float32Array(8), 5)).toEqual([]);
  });

  it('writes to a deleted index fail and create no index', async () => {
    const store = open();
    await store.ensure(8);
    await vendors.current.lose('dropped');
    await expect(store.upsert(points(2))).rejects.toMatchObject({ name: 'SinkError', status: 404 });
    expect(await store.lookUp(points(1))).toEqual(new Set());
    await store.remove([{ documentId: 'a', version: 1 }]);
    await open().ensure(8);
  });

  it('deletes more documents than one request, and only those of its index', async () => {
    const [mine, other] = [open(), openStore(product, {}, 'other')];
    await mine.ensure(8);
    const many = chunks(
      'a',
      1,
      Array.from({ length: 5_100 }, () => 'text'),
    );
    await mine.upsert(await toPoints('index', document('a'), many));
    await other.upsert(await toPoints('other', document('a'), chunks('a', 1, ['text'])));
    await mine.drop();
    expect(await seenOf(DELETE)).toHaveLength(2);
    expect(await mine.query(toDirection('text'), 5)).toEqual([]);
    expect(await other.query(toDirection('text'), 5)).toHaveLength(1);
  }, 30_000);

  describe('with failures', () => {
    it.each([429, 503, 409])('sends documents again that failed with %i', async (status) => {
      skipWaits();
      const store = open();
      await store.ensure(8);
      const busy = { kind: 'own', name: `busy ${status}`, on: BULK } as const;
      await vendors.current.fail(busy, busy);
      const all = points(5);
      await store.upsert(all);
      expect((await store.lookUp(all)).size).toBe(5);
      const sent = (await seenOf(BULK)).map(({ body }) => readLines(body).length / 2);
      expect(sent).toEqual([5, 3, 2]);
    });

    it('gives up if documents keep failing', async () => {
      skipWaits();
      const store = open();
      await store.ensure(8);
      const busy = { kind: 'own', name: 'busy 429', on: BULK } as const;
      await vendors.current.fail(busy, busy, busy, busy);
      await expect(store.upsert(points(5))).rejects.toMatchObject({
        ...{ name: 'SinkError', retryable: true },
        message: `${product.name} failed to write one of 1 documents with status 429: the queue is full`,
      });
    });

    it('does not take a rejected document for a written one', async () => {
      const store = open();
      await store.ensure(8);
      const [first, second] = points(2);
      const wrong = { ...second!, vector: new Float32Array([1, 2]) };
      await expect(store.upsert([first!, wrong])).rejects.toMatchObject({
        ...{ retryable: false, message: expect.stringContaining('Expected: 8, Given: 2') },
      });
    });

    it('rejects an answer with too few results', async () => {
      const store = open();
      await store.ensure(8);
      await vendors.current.fail({ kind: 'own', name: 'lost results', on: BULK });
      await expect(store.upsert(points(3))).rejects.toThrow('2 results for 3');
    });

    it('rejects partial results and failed look-ups', async () => {
      const store = open();
      await store.ensure(8);
      await vendors.current.fail({ kind: 'own', name: 'a part', on: SEARCH });
      await expect(store.query(toDirection('x'), 5)).rejects.toMatchObject({ retryable: true });
      await vendors.current.fail({ kind: 'own', name: 'broken shard' });
      await expect(store.lookUp(points(1))).rejects.toMatchObject({ retryable: true });
    });

    it('repeats a deletion that conflicts with another write', async () => {
      skipWaits();
      const store = open();
      await store.ensure(8);
      await store.upsert(points(3));
      await vendors.current.fail({ kind: 'own', name: 'conflict', on: DELETE });
      await store.drop();
      expect(await store.query(toDirection('x'), 5)).toEqual([]);
    });

    it('passes on Retry-After without revealing secrets', async () => {
      const store = open();
      await store.ensure(8);
      await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
      const failure = await store.query(toDirection('x'), 5).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'SinkError', retryable: true, retryAfter: 7 });
      expect(String(failure)).toContain(product.name);
      expect(String(failure)).not.toContain(PASSWORD);
      expect(String(failure)).not.toContain(btoa(`user:${PASSWORD}`));
    });
  });
});

describe('cluster that forbids expensive queries', () => {
  const place = { base: 'https://cheap.test' };
  const vendors = useVendors({
    vendor: 'opensearch',
    ...place,
    settings: { password: PASSWORD, allowsExpensive: false },
  });

  it('is searched without ranges', async () => {
    const store = openStore(place);
    await store.ensure(8);
    await store.upsert([toVectorPoint({ year: 1 }, 0), toVectorPoint({ year: 2, a: 'b' }, 1)]);
    const year = { key: 'year', least: 2 };
    const ask = (preFilter: object) =>
      openStore(place).query(toDirection('x'), 5, { preFilter: preFilter as never });
    expect(await ask(year)).toHaveLength(2);
    expect(await ask({ all: [year, { key: 'a', oneOf: ['b'] }] })).toHaveLength(1);
    expect(await ask({ any: [year, { key: 'a', oneOf: ['b'] }] })).toHaveLength(2);
    const failed = (await vendors.current.state()).seen.filter(({ status }) => status === 500);
    expect(failed).toHaveLength(1);
  });
});
