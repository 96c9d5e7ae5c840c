import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import { parseUri } from '#src/sinks/milvus/client.ts';
import milvus from '#src/sinks/milvus/milvus.ts';
import { MilvusStore } from '#src/sinks/milvus/store.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

const KEY = 'key-of-the-vendor';
const buildSettings = (changes: object = {}) =>
  milvus.settings.parse({ uri: 'http://vectors.test', token: KEY, ...changes });
const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId: 'index',
};
const open = (changes: object = {}, indexId = 'index') =>
  new MilvusStore(buildSettings(changes), { ...deps, indexId });
const check = (changes: object = {}) => milvus.check(buildSettings(changes), deps);
const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });
const having = (settings: object = {}) => ({
  ...{ vendor: 'milvus', base: 'http://vectors.test:19530' },
  settings: { key: KEY, loading: 0, ...settings },
});
const pointsFor = (documentId: string, rest: object = {}, texts = ['walrus'], indexId = 'index') =>
  toPoints(indexId, document(documentId, 3, rest), chunks(documentId, 3, texts));

describe('parseUri', () => {
  it.each<[string, object | undefined]>([
    ['http://m.test', { origin: 'http://m.test:19530' }],
    ['http://m.test:80/', { origin: 'http://m.test' }],
    ['https://in03.zilliz.test', { origin: 'https://in03.zilliz.test' }],
    ['https://m.test:19530/books', { origin: 'https://m.test:19530', dbName: 'books' }],
    ['./milvus.db', undefined],
    ['https://u:p@m.test', undefined],
    ['https://m.test/a/b', undefined],
    ['https://m.test/a%20b', undefined],
    ['https://m.test/?a=b', undefined],
    ['tcp://m.test', undefined],
  ])('%s returns %j', (uri, expected) => {
    expect(parseUri(uri)).toEqual(expected);
  });
});

describe('Milvus sink', () => {
  const vendors = useVendors(having());
  const sent = async (path: string) =>
    (await vendors.current.state()).seen.filter(({ operation }) => operation?.endsWith(path));

  it('stores each vector with its fields', async () => {
    const metadata = { year: 2024, tags: ['x'], none: null };
    const store = open({ uri: 'http://vectors.test/books', collection_name: 'c' });
    await store.ensure(8);
    await store.upsert(await pointsFor('a', { title: 'Annual report', metadata }));
    const [upsert] = await sent('/entities/upsert');
    expect(upsert!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(upsert!.body).toMatchObject({
      ...{ dbName: 'books', collectionName: 'c' },
      data: [
        {
          ...{ sluice_index: 'index', document_id: 'a', version: 3, position: 0, node_id: 'a/3/0' },
          ...{ title: 'Annual report', text: 'walrus', metadata, sluice_partial: false },
        },
      ],
    });
    const [found] = await store.query(toDirection('walrus'), 5);
    expect(found).toMatchObject({ documentId: 'a', version: 3, position: 0 });
    expect(found!.score).toBeCloseTo(1, 6);
    expect((await sent('/entities/search'))[0]!.body).toMatchObject({ consistencyLevel: 'Strong' });
  });

  it('creates the collection once for concurrent calls', async () => {
    await Promise.all([open().ensure(8), open().ensure(8)]);
    const made = await sent('/collections/create');
    expect(made.length).toBeGreaterThan(0);
    expect(made[0]!.body).toMatchObject({ collectionName: 'sluice', schema: { enableDynamicField: false } });
    await open().ensure(8);
    expect(await sent('/collections/create')).toHaveLength(made.length);
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    await open().ensure(8);
    await expect(open().ensure(16)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/Milvus.*collection_name.* 8 dimensions.* 16.*embedding_config/),
    });
    await expect(open().query(toDirection('x', 16), 5)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/Milvus.*collection_name.* 8 dimensions.* 16.*embedding_config/),
    });
    await expect(open({ embedding_dimension: 4 }).ensure(8)).rejects.toThrow(/embedding_dimension is 4.* 8/);
    await open({ embedding_dimension: 8 }).ensure(8);
  });

  it('truncates texts between characters and omits metadata that is too large', async () => {
    const store = open();
    await store.ensure(8);
    const long = `x${'\u{1f600}'.repeat(20_000)}`;
    await store.upsert(await pointsFor('a', { title: long, metadata: { long, kept: 1 } }, [long]));
    const { data } = (await sent('/entities/upsert'))[0]!.body as { data: Record<string, string>[] };
    expect(data[0]).toMatchObject({ metadata: { kept: 1 }, sluice_partial: true });
    for (const text of [data[0]!.text!, data[0]!.title!]) {
      expect(new TextEncoder().encode(text).length).toBe(65_533);
      expect(text.endsWith('\u{1f600}')).toBe(true);
    }
    const preFilter = { key: 'long', oneOf: ['x'] };
    expect(await store.query(toDirection('x'), 5, { preFilter })).toHaveLength(1);
  });

  it.each<[unknown, boolean]>([
    [['x', 1], true],
    [['x'], false],
    [2 ** 64, true],
    [-(2 ** 60), true],
    [5.5, false],
    [null, false],
  ])('marks metadata %j as partially filterable: %s', async (value, expected) => {
    const store = open();
    await store.ensure(8);
    await store.upsert(await pointsFor('a', { metadata: { value } }));
    const { data } = (await sent('/entities/upsert'))[0]!.body as { data: object[] };
    expect(data[0]).toMatchObject({ sluice_partial: expected });
  });

  it('updates all chunks of a document and no others', async () => {
    const store = open();
    await store.ensure(8);
    const texts = Array.from({ length: 300 }, (_, i) => `${i}`);
    for (const id of ['a', 'b']) {
      await store.upsert(
        await pointsFor(id, { metadata: { kind: 'old' } }, texts.slice(0, id === 'a' ? 300 : 1)),
      );
    }
    const other = open({}, 'other');
    await other.upsert(await pointsFor('a', { metadata: { kind: 'old' } }, ['x'], 'other'));
    await store.describe({ documentId: 'a', title: 'New', metadata: { kind: 'new' } });
    const of = (kind: string) =>
      store.query(toDirection('x'), 1_000, { preFilter: { key: 'kind', oneOf: [kind] } });
    expect(await of('new')).toHaveLength(300);
    expect(await of('old')).toMatchObject([{ documentId: 'b' }]);
    const preFilter = { key: 'kind', oneOf: ['old'] };
    expect(await other.query(toDirection('x'), 5, { preFilter })).toHaveLength(1);
    const { data } = (await sent('/entities/upsert')).at(-1)!.body as { data: { pages: object }[] };
    expect(data[0]!.pages).toEqual({});
    expect(data[0]).toMatchObject({ title: 'New', metadata: { kind: 'new' }, version: 3 });
  });

  it('deletes points of one index and up to a version', async () => {
    const [mine, other] = [open(), open({}, 'other')];
    await mine.ensure(8);
    await mine.upsert(await pointsFor('a" or "" == "'));
    await other.upsert(await pointsFor('a', {}, ['walrus'], 'other'));
    await mine.remove([{ documentId: 'a" or "" == "', version: 2 }]);
    expect(await mine.query(toDirection('x'), 5)).toHaveLength(1);
    await mine.remove([{ documentId: 'a" or "" == "', version: 3 }]);
    expect(await mine.query(toDirection('x'), 5)).toEqual([]);
    await mine.drop();
    expect(await other.query(toDirection('x'), 5)).toHaveLength(1);
  });

  it.each([
    [1800, 401, false],
    [80002, 401, false],
    [100, 404, false],
    [8, 429, true],
    [101, 503, true],
    [700, 503, true],
    [1100, 400, false],
  ])('converts code %i in a 200 answer to status %i', async (code, status, retryable) => {
    const body = JSON.stringify({ code, message: `said of ${KEY}` });
    await vendors.current.fail({ kind: 'body', body });
    const failure = await open()
      .query(toDirection('x'), 5)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'SinkError', status, retryable });
    expect(String(failure)).toMatch(new RegExp(`Milvus.*code ${code}.*said of`));
    expect(String(failure)).not.toContain(KEY);
  });

  it.each([
    ['another shape', '{"code":0,"data":7}'],
    ['no code', '{"data":[]}'],
  ])('fails for an answer with %s', async (_, body) => {
    await vendors.current.fail({ kind: 'body', body });
    await expect(open().query(toDirection('x'), 5)).rejects.toMatchObject({ name: 'SinkError' });
  });

  it('skips an invalid match', async () => {
    const point = { document_id: 'a', version: '3', position: 0 };
    const data = [null, 7, { ...point, version: '3x', distance: 1 }, point, { ...point, distance: 2 }];
    await vendors.current.fail({ kind: 'body', body: JSON.stringify({ code: 0, data }) });
    expect(await open().query(toDirection('x'), 5)).toEqual([
      { documentId: 'a', version: 3, position: 0, score: 1 },
    ]);
  });

  it('names the wrong setting in a check', async () => {
    await check();
    await open().ensure(8);
    await check({ embedding_dimension: 8 });
    await expect(check({ token: 'another' })).rejects.toMatchObject(naming('token'));
    await expect(check({ uri: './milvus.db' })).rejects.toMatchObject(naming('uri'));
    await expect(check({ collection_name: 'a b' })).rejects.toMatchObject(naming('collection_name'));
    await expect(check({ embedding_dimension: 4 })).rejects.toMatchObject(naming('embedding_dimension'));
    await vendors.current.fail({ kind: 'status', status: 405 });
    await expect(check()).rejects.toMatchObject(naming('uri'));
    // Another kind of server, which does not know the path.
    await vendors.current.fail({ kind: 'status', status: 404 });
    await expect(check()).rejects.toMatchObject(naming('uri'));
  });

  it.each([
    '"',
    '\\',
    '\\"',
    'a" or "" == "',
    "'",
    '\n\u0000\u2028',
    'ü',
    '文件',
    '\u{20bb7}野',
    '\u{1f600}',
    '%_$',
  ])('finds the document %j by id and metadata', async (odd) => {
    const store = open();
    await store.ensure(8);
    await store.upsert(await pointsFor(odd, { metadata: { kind: odd, tags: [odd] } }));
    await store.upsert(await pointsFor('b', { metadata: { kind: 'b', tags: ['b'] } }));
    const only = [{ documentId: odd }];
    expect(await store.query(toDirection('x'), 5, { documentIds: [odd] })).toMatchObject(only);
    for (const key of ['kind', 'tags']) {
      const preFilter = { key, oneOf: [odd] };
      expect(await store.query(toDirection('x'), 5, { preFilter })).toMatchObject(only);
    }
    await store.remove([{ documentId: odd, version: 3 }]);
    expect(await store.query(toDirection('x'), 5)).toMatchObject([{ documentId: 'b' }]);
  });

  it.each<[string, boolean]>([
    ['year', true],
    ['Straße_2 b', true],
    ['文件', true],
    ['\u{20bb7}', false],
    ['0', false],
    ['a.b', false],
    ['a"]["b', false],
    ['a\\', false],
    ['', false],
  ])('can filter by the key %j: %s', async (key, expected) => {
    expect(open().isFilterable(key, 'oneOf')).toBe(expected);
    if (!expected) return;
    const store = open();
    await store.ensure(8);
    await store.upsert(await pointsFor('a', { metadata: { [key]: 'x' } }));
    const preFilter = { key, oneOf: ['x'] };
    expect(await store.query(toDirection('x'), 5, { preFilter })).toHaveLength(1);
  });
});

describe('collection that loads slowly', () => {
  useVendors(having({ loading: 3 }));

  it('is waited for', async () => {
    await open().ensure(8);
    expect(await open().query(toDirection('x'), 5)).toEqual([]);
  });
});

describe('collection with another metric', () => {
  useVendors(having({ metric: 'L2' }));

  it('is rejected with an explanation', async () => {
    await expect(open().ensure(8)).rejects.toThrow(/collection_name.*L2/);
    await expect(check()).rejects.toMatchObject(naming('collection_name'));
  });
});
