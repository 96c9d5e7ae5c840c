import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { AzureSearchStore } from '#src/sinks/azure-ai-search/store.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

const KEY = 'key-of-the-vendor';
const COMPONENT = { search_service_api_key: KEY, search_service_endpoint: 'https://search.test/' };
const VENDOR = { vendor: 'azure-ai-search', base: 'https://search.test' };
const buildSettings = (changes: object = {}) => azureAiSearch.settings.parse({ ...COMPONENT, ...changes });
const buildDeps = (indexId: string) => ({
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId,
});
const open = (changes: object = {}, indexId = 'index') =>
  new AzureSearchStore(buildSettings(changes), buildDeps(indexId));
const points = (count: number) => Array.from({ length: count }, (_, at) => toVectorPoint({}, at));
const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });
const INDEX = "POST /indexes('{indexName}')/docs/search.index";
const SEARCH = "POST /indexes('{indexName}')/docs/search.post.search";

describe('Azure AI Search sink', () => {
  const vendors = useVendors(VENDOR);
  const bodies = async (operation: string) =>
    (await vendors.current.state()).seen
      .filter((each) => each.operation === operation)
      .map(({ body }) => body as Record<string, unknown>);

  it('stores each vector with its fields', async () => {
    const store = open({ filterable_metadata_field_keys: { year: 'Int32', tags: ['topic', 'Collection'] } });
    await store.ensure(8);
    const point = {
      ...toVectorPoint({ year: 2024, tags: ['x'], more: 'y' }, 1),
      version: 3,
      pages: { page_label: 5 },
    };
    await store.upsert([point]);
    const { seen } = await vendors.current.state();
    expect(seen.every(({ headers }) => headers['api-key'] === KEY)).toBe(true);
    expect(seen.every(({ url }) => url.endsWith('?api-version=2025-09-01'))).toBe(true);
    expect((await bodies(INDEX))[0]).toMatchObject({
      value: [
        {
          ...{ '@search.action': 'mergeOrUpload', id: point.id, sluice_index: 'index', document_id: '1' },
          ...{ version: 3, position: 0, node_id: 'node 1', title: 'Annual report', text: 'walrus' },
          ...{ pages: '{"page_label":5}', year: 2024, topic: ['x'], unfilterable: [] },
          metadata: JSON.stringify({ year: 2024, tags: ['x'], more: 'y' }),
        },
      ],
    });
  });

  it('creates the index once for concurrent calls', async () => {
    const store = open();
    await Promise.all([store.ensure(8), open().ensure(8)]);
    await store.ensure(8);
    const { seen } = await vendors.current.state();
    expect(seen.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await bodies('POST /indexes'))[0]).toMatchObject({
      name: 'sluice',
      vectorSearch: { algorithms: [{ kind: 'hnsw', hnswParameters: { metric: 'cosine' } }] },
    });
  });

  it('adds missing fields to an index and keeps existing ones', async () => {
    await open().ensure(8);
    await open({ filterable_metadata_field_keys: { year: 'Int64' } }).ensure(8);
    await open().ensure(8);
    const [changed, ...more] = await bodies("PUT /indexes('{indexName}')");
    expect(more).toEqual([]);
    expect((changed!.fields as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['id', 'text', 'vector', 'year']),
    );
    await expect(open({ filterable_metadata_field_keys: { year: 'String' } }).ensure(8)).rejects.toThrow(
      /year of type Edm.Int64 instead of Edm.String/,
    );
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    await open().ensure(8);
    await expect(open({ embedding_dimension: 8 }).ensure(16)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/Azure AI Search.*embedding_dimension is 8.* 16.*embedding_config/),
    });
    await expect(open().ensure(16)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/Azure AI Search.*index_name.* 8 dimensions.* 16/),
    });
  });

  it('returns cosine scores', async () => {
    const store = open();
    await store.ensure(8);
    const [ahead, behind] = points(2) as [VectorPoint, VectorPoint];
    await store.upsert([ahead, { ...behind, vector: ahead.vector.map((x) => -x) }]);
    const scores = (await store.query(ahead.vector, 5)).map(({ score }) => Math.round(score * 1e4) / 1e4);
    expect(scores).toEqual([1, -1]);
  });

  it('reads all pages, and updates and deletes only its own documents', async () => {
    const [store, other] = [open(), open({}, "another's")];
    await store.ensure(8);
    const many = points(1_200).map((point) => ({ ...point, documentId: "it's a" }));
    await store.upsert(many.slice(0, 600));
    await store.upsert(many.slice(600));
    await other.upsert(points(1).map((point) => ({ ...point, documentId: "it's a" })));
    expect(await store.query(toDirection('x'), 1_100)).toHaveLength(1_100);
    expect(await store.query(toDirection('x'), 10_000, { documentIds: ["it's a", 'b|c'] })).toHaveLength(
      1_200,
    );
    await store.describe({ documentId: "it's a", title: 'New', metadata: {} });
    const merges = (await bodies(INDEX)).flatMap(({ value }) => value as Record<string, unknown>[]);
    expect(merges.filter((each) => each['@search.action'] === 'merge' && each.title === 'New')).toHaveLength(
      1_200,
    );
    await store.remove([{ documentId: "it's a", version: 0 }]);
    expect(await store.query(toDirection('x'), 2_000)).toHaveLength(1_200);
    await store.remove([{ documentId: "it's a", version: 1 }]);
    expect(await store.query(toDirection('x'), 2_000)).toEqual([]);
    await store.drop();
    expect(await other.query(toDirection('x'), 10)).toHaveLength(1);
  });

  it.each([503, 409, 422])('resends only the documents that failed with %i', async (status) => {
    const store = open();
    await store.ensure(8);
    await vendors.current.fail({ kind: 'own', name: `busy ${status}`, on: INDEX });
    await store.upsert(points(3));
    expect((await bodies(INDEX)).map(({ value }) => (value as unknown[]).length)).toEqual([3, 2]);
    expect(await store.query(toDirection('x'), 10)).toHaveLength(3);
  });

  it('fails for a document that cannot succeed on retry', async () => {
    const store = open();
    await store.ensure(8);
    const [right, wrong] = points(2) as [VectorPoint, VectorPoint];
    const write = store.upsert([right, { ...wrong, vector: new Float32Array(3) }]);
    await expect(write).rejects.toMatchObject({ name: 'SinkError', retryable: false });
    await expect(write).rejects.toThrow(/400.*8 dimensions, and 3/);
    expect(await bodies(INDEX)).toHaveLength(1);
  });

  it('fails if the same page repeats forever', async () => {
    const fault = { kind: 'body', body: '{"value":[{"id":"a"}]}', on: SEARCH } as const;
    await open().ensure(8);
    await vendors.current.fail(fault, fault);
    await expect(open().drop()).rejects.toMatchObject({ name: 'SinkError', retryable: true });
  });

  it('skips documents with invalid fields', async () => {
    await open().ensure(8);
    const value = [
      { '@search.score': 0.8, document_id: 'a', version: 1, position: 0 },
      { '@search.score': 0.8, document_id: 5 },
      { '@search.score': 0, document_id: 'a', version: 1, position: 1 },
    ];
    await vendors.current.fail({ kind: 'body', body: JSON.stringify({ value }) });
    expect(await open().query(toDirection('x'), 5)).toMatchObject([{ documentId: 'a', position: 0 }]);
  });

  it('passes on Retry-After without revealing secrets', async () => {
    await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '17' } });
    const failure = await open()
      .query(toDirection('x'), 5)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'SinkError', retryable: true, retryAfter: 17 });
    expect(String(failure)).toContain('Azure AI Search');
    expect(String(failure)).not.toContain(KEY);
  });

  it.each([
    ['no JSON', 'nothing', true],
    ['another shape', '{"value":"many"}', false],
  ])('fails for an answer with %s', async (_, body, retryable) => {
    await vendors.current.fail({ kind: 'body', body });
    await expect(open().query(toDirection('x'), 5)).rejects.toMatchObject({ name: 'SinkError', retryable });
  });
});

describe('client credentials', () => {
  const CLIENT = () => ({
    ...{
      tenant_id: 'tenant',
      client_id: `client ${crypto.randomUUID()}`,
      client_secret: 'secret-of-the-client',
    },
  });
  const client = CLIENT();
  const token = 'token-of-the-client';
  const vendors = useVendors(
    { ...VENDOR, settings: { key: KEY, token } },
    {
      vendor: 'microsoft-token',
      settings: {
        tenant: 'tenant',
        clientId: client.client_id,
        clientSecret: client.client_secret,
        scope: 'https://search.azure.com/.default',
        gives: token,
        life: 3599,
      },
    },
  );
  const tokensAsked = async () =>
    (await vendors.current.state()).seen.filter(({ vendor }) => vendor === 'microsoft-token');

  it('fetch one token for many requests and send no key', async () => {
    const store = open(client);
    await Promise.all([store.ensure(8), store.ensure(8), store.ensure(8)]);
    await open(client).query(toDirection('x'), 5);
    const { seen } = await vendors.current.state();
    const searches = seen.filter(({ vendor }) => vendor === 'azure-ai-search');
    expect(searches.length).toBeGreaterThan(3);
    for (const { headers } of searches) {
      expect(headers.authorization).toBe(`Bearer ${token}`);
      expect(headers).not.toHaveProperty('api-key');
    }
    expect(await tokensAsked()).toMatchObject([
      { body: expect.stringContaining('scope=https%3A%2F%2Fsearch.azure.com%2F.default') },
    ]);
  });

  it('fetch another token once after a rejection', async () => {
    const store = open(client);
    await store.ensure(8);
    const before = (await tokensAsked()).length;
    await vendors.current.fail({ kind: 'status', status: 401, on: SEARCH });
    expect(await store.query(toDirection('x'), 5)).toEqual([]);
    expect(await tokensAsked()).toHaveLength(before + 1);
    const refusal = { kind: 'status', status: 401, on: SEARCH } as const;
    await vendors.current.fail(refusal, refusal);
    await expect(store.query(toDirection('x'), 5)).rejects.toMatchObject({ status: 401 });
  });

  it('name the wrong setting without the secret', async () => {
    const check = (changes: object) =>
      azureAiSearch.check(buildSettings({ ...client, ...changes }), buildDeps('index'));
    await check({});
    for (const name of ['tenant_id', 'client_id', 'client_secret']) {
      await expect(check({ [name]: 'another-one' })).rejects.toMatchObject(naming(name));
      await expect(check({ [name]: null })).rejects.toMatchObject(naming(name));
    }
    const failure = await check({ client_secret: 'another-one' }).catch((error: unknown) => error);
    expect(String(failure)).not.toContain('another-one');
  });

  it('warn that a key beside them has no effect', () => {
    const fields = (changes: object) =>
      collectWarnings(azureAiSearch.settings, { ...COMPONENT, ...changes }).map(({ field }) => field);
    expect(fields(client)).toEqual(['search_service_api_key']);
    expect(fields({ tenant_id: 'tenant' })).toEqual([]);
  });
});

describe('check', () => {
  const check = (changes: object = {}, dimension?: number) =>
    azureAiSearch.check(buildSettings(changes), buildDeps('index'), dimension);

  describe('with an Azure AI Search vendor', () => {
    const vendors = useVendors(VENDOR);

    it('passes with and without an index', async () => {
      await check();
      await open().ensure(8);
      await check();
    });

    it('names the wrong setting', async () => {
      await open().ensure(8);
      const wrong: [string, unknown][] = [
        ['search_service_api_key', 'another'],
        ['search_service_endpoint', 'nothing at all'],
        ['index_name', 'With Capitals'],
        ['index_name', 'two--dashes'],
        ['index_name', "a'b"],
        ['search_service_api_version', 'newest'],
        ['embedding_dimension', 1],
        ['embedding_dimension', 5_000],
      ];
      for (const [name, value] of wrong) {
        await expect(check({ [name]: value })).rejects.toMatchObject(naming(name));
      }
      await expect(check({ embedding_dimension: 16 })).rejects.toMatchObject(naming('index_name'));
      await check({}, 8);
      await expect(check({}, 16)).rejects.toMatchObject(naming('index_name'));
      await expect(check({ embedding_dimension: 8 }, 16)).rejects.toMatchObject(
        naming('embedding_dimension'),
      );
      await vendors.current.fail({ kind: 'status', status: 405 });
      await expect(check()).rejects.toMatchObject(naming('search_service_endpoint'));
    });
  });

  const id = { name: 'id', type: 'Edm.String', key: true, filterable: true, sortable: true };
  const vector = {
    ...{ name: 'vector', type: 'Collection(Edm.Single)', searchable: true },
    ...{ dimensions: 8, vectorSearchProfile: 'p' },
  };
  const comparing = (metric: string) => ({
    profiles: [{ name: 'p', algorithm: 'a' }],
    algorithms: [{ name: 'a', kind: 'hnsw', hnswParameters: { metric } }],
  });
  describe.each([
    ['has no vectors', { fields: [id] }, 'no field named vector'],
    ['has another key', { fields: [{ ...id, name: 'chunk' }, vector] }, 'id as its key field'],
    ['cannot be read in order', { fields: [{ ...id, sortable: false }, vector] }, 'not sortable'],
    [
      'has a field of another type',
      { fields: [id, vector, { name: 'version', type: 'Edm.String' }] },
      'Edm.Int64',
    ],
    ['compares otherwise', { fields: [id, vector], vectorSearch: comparing('euclidean') }, 'euclidean'],
  ])('with an index that %s', (_, definition, word) => {
    useVendors({ ...VENDOR, settings: { key: KEY, index: { name: 'sluice', ...definition } } });

    it('explains the problem', async () => {
      await expect(check()).rejects.toMatchObject(naming('index_name'));
      await expect(open().ensure(8)).rejects.toThrow(word);
    });
  });
});

it.each([
  [{ a: 'a b' }],
  [{ a: '1st' }],
  [{ 'with space': 'Int32' }],
  [{ a: 5.5 }],
  [{ a: ['x'] }],
  [{ a: ['x', 'Unknown'] }],
  [{ a: 'x', b: 'x' }],
  [{ a: 'metadata' }],
  [{ text: 'String' }],
])('rejects %j as filterable keys', (filterable_metadata_field_keys) => {
  expect(() => buildSettings({ filterable_metadata_field_keys })).toThrow('filterable_metadata_field_keys');
});
