import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import { getCollectionUrl } from '#src/sinks/qdrant/client.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

const KEY = 'key-of-the-vendor';
const COMPONENT = { api_key: KEY, collection_name: 'c', url: 'https://vectors.test', max_retries: 0 };
const buildSettings = (changes: object = {}) => qdrant.settings.parse({ ...COMPONENT, ...changes });
const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId: 'index',
};
const open = (changes: object = {}) => createQdrantStore(buildSettings(changes), deps);

describe('getCollectionUrl', () => {
  it.each<[string, object, string]>([
    ['https://q.test', {}, 'https://q.test:6333/collections/c'],
    ['https://q.test:443/', {}, 'https://q.test/collections/c'],
    ['http://q.test:80/a/', {}, 'http://q.test/a/collections/c'],
    [
      'http://q.test',
      { port: 7000, prefix: '/behind/this/' },
      'http://q.test:7000/behind/this/collections/c',
    ],
    ['http://q.test:6444', { port: 7000 }, 'http://q.test:6444/collections/c'],
    ['q.test', { https: true }, 'https://q.test:6333/collections/c'],
    ['q.test:7', {}, 'http://q.test:7/collections/c'],
    ['http://[::1]:7?x=1#y', {}, 'http://[::1]:7/collections/c'],
  ])('%s with %j returns %s', (url, client_kwargs, expected) => {
    expect(getCollectionUrl(buildSettings({ url, client_kwargs })).href).toBe(expected);
  });

  it('encodes the collection name as one path segment', () => {
    const { pathname } = getCollectionUrl(buildSettings({ collection_name: '../a/b?c#d' }));
    expect(pathname).toBe('/collections/..%2Fa%2Fb%3Fc%23d');
  });

  it.each(['ftp://q.test', 'http://', 'no url at all'])('rejects %s', (url) => {
    expect(() => getCollectionUrl(buildSettings({ url }))).toThrow('url');
  });
});

describe('Qdrant sink', () => {
  const vendors = useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });
  const points = (dimension = 8) =>
    toPoints(
      'index',
      document('a', 3, { title: 'Annual report', metadata: { year: 2024, tags: ['x'] } }),
      chunks('a', 3, ['walrus'], dimension).map((chunk) => ({ ...chunk, startPage: 4 })),
    );

  it('stores each vector with its fields', async () => {
    const store = open();
    await store.ensure(8);
    await store.upsert(await points());
    const { seen } = await vendors.current.state();
    expect(seen.every(({ headers }) => headers['api-key'] === KEY)).toBe(true);
    const sent = seen.find(({ operation }) => operation?.startsWith('PUT') && operation.endsWith('/points'))!;
    expect(sent.url).toContain('wait=true');
    expect(sent.body).toMatchObject({
      points: [
        {
          payload: {
            ...{ sluice_index: 'index', document_id: 'a', version: 3, position: 0, node_id: 'a/3/0' },
            ...{ title: 'Annual report', text: 'walrus', metadata: { year: 2024, tags: ['x'] } },
            pages: { page_label: 5 },
          },
        },
      ],
    });
  });

  it('sends only well-formed text', async () => {
    const store = open();
    await store.ensure(8);
    const [point] = await points();
    await store.upsert([{ ...point!, text: 'a\ud800b', metadata: { word: '\udfff' } }]);
    const { seen } = await vendors.current.state();
    const sent = seen.find(({ operation }) => operation?.startsWith('PUT') && operation.endsWith('/points'))!;
    expect(sent.body).toMatchObject({
      points: [{ payload: { text: 'a\ufffdb', metadata: { word: '\ufffd' } } }],
    });
  });

  it('creates the collection once with an index per filtered member', async () => {
    const store = open();
    await Promise.all([store.ensure(8), open().ensure(8)]);
    await store.ensure(8);
    const { seen } = await vendors.current.state();
    const made = seen.filter(({ method, url }) => method === 'PUT' && url.endsWith('/collections/c'));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(1);
    const fields = seen.flatMap(({ body }) => (body as { field_name?: string })?.field_name ?? []);
    expect([...new Set(fields)].sort()).toEqual([
      'document_id',
      'metadata_values',
      'sluice_index',
      'version',
    ]);
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    await open().ensure(8);
    await expect(open().ensure(16)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/Qdrant.*collection_name.* 8 dimensions.* 16.*embedding_config/),
    });
  });

  it('skips points with invalid fields', async () => {
    const store = open();
    await store.ensure(8);
    const mine = (await points())[0]!;
    await store.upsert([mine, { ...mine, id: crypto.randomUUID(), version: 'three' as never }]);
    expect(await store.query(toDirection('walrus'), 5)).toMatchObject([{ documentId: 'a', version: 3 }]);
  });

  it('passes on Retry-After without revealing secrets', async () => {
    const store = open();
    await store.ensure(8);
    await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '7' } });
    const failure = await store.query(toDirection('x'), 5).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'SinkError', retryable: true, retryAfter: 7 });
    expect(String(failure)).toContain('Qdrant');
    expect(String(failure)).not.toContain(KEY);
  });

  it('retries up to max_retries times', async () => {
    await open().ensure(8);
    const failing = { kind: 'status', status: 503, headers: { 'retry-after': '0' } } as const;
    await vendors.current.fail(failing, failing);
    expect(await open({ max_retries: 2 }).query(toDirection('x'), 5)).toEqual([]);
    await vendors.current.fail(failing, failing);
    await expect(open({ max_retries: 1 }).query(toDirection('x'), 5)).rejects.toMatchObject({ status: 503 });
  });

  it('applies the timeout in client_kwargs', async () => {
    await vendors.current.fail({ kind: 'silent' });
    const asked = open({ client_kwargs: { timeout: 0.2 } }).query(toDirection('x'), 5);
    await expect(asked).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(/within 1 s/),
    });
  });

  it.each([
    ['no JSON', 'nothing', true],
    ['another shape', '{"result":{"points":[{"score":"high"}]}}', false],
    ['no result', '{}', false],
  ])('fails for an answer with %s', async (_, body, retryable) => {
    await vendors.current.fail({ kind: 'body', body });
    const name = 'SinkError';
    await expect(open().query(toDirection('x'), 5)).rejects.toMatchObject({ name, retryable });
  });
});

describe('check', () => {
  const check = (changes: object = {}, dimension?: number) =>
    qdrant.check(buildSettings(changes), deps, dimension);
  const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });

  describe('with a Qdrant vendor', () => {
    const vendors = useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });

    it('passes with and without a collection', async () => {
      await check();
      await open().ensure(8);
      await check();
      await check({}, 8);
    });

    it('names the collection if its vectors have another dimension', async () => {
      await open().ensure(8);
      await expect(check({}, 16)).rejects.toMatchObject({
        ...naming('collection_name'),
        message: expect.stringMatching(/\b8\b.*\b16\b/),
      });
    });

    it('rejects a read-only key without changing data', async () => {
      const store = open();
      await store.ensure(8);
      await store.upsert(await toPoints('index', document('a'), chunks('a', 1, ['text'])));
      await expect(check({ api_key: 'read-only' })).rejects.toMatchObject(naming('api_key'));
      await check();
      expect(await store.query(toDirection('text'), 5)).toHaveLength(1);
    });

    it('names the wrong setting', async () => {
      await expect(check({ api_key: 'another' })).rejects.toMatchObject(naming('api_key'));
      await expect(check({ url: 'nothing at all' })).rejects.toMatchObject(naming('url'));
      await expect(check({ collection_name: '' })).rejects.toMatchObject(naming('collection_name'));
      await vendors.current.fail({ kind: 'status', status: 405 });
      await expect(check()).rejects.toMatchObject(naming('url'));
    });

    it.each([429, 500])('is retryable if the store answers %i', async (status) => {
      await vendors.current.fail({ kind: 'status', status });
      await expect(check()).rejects.toMatchObject({ name: 'SinkError', retryable: true });
    });
  });

  describe.each([
    ['compares otherwise', { size: 8, distance: 'Dot' }, 'Dot'],
    ['has named vectors', { text: { size: 8, distance: 'Cosine' } }, 'named'],
  ])('with a collection that %s', (_, vectors, word) => {
    useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333', settings: { key: KEY, vectors } });

    it('names the collection', async () => {
      await open()
        .ensure(8)
        .catch(() => {});
      await expect(check()).rejects.toMatchObject(naming('collection_name'));
      await expect(open().ensure(8)).rejects.toThrow(word);
    });
  });
});
