import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import astra from '#src/sinks/astra/astra.ts';
import { getKeyspaceUrl } from '#src/sinks/astra/client.ts';
import { AstraStore } from '#src/sinks/astra/store.ts';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

const TOKEN = 'AstraCS:token-of-the-vendor';
const COMPONENT = {
  ...{ token: TOKEN, api_endpoint: 'https://astra.test' },
  ...{ collection_name: 'c', embedding_dimension: 8 },
};
const VENDOR = { vendor: 'astra-db', base: 'https://astra.test' };
const buildSettings = (changes: object = {}) => astra.settings.parse({ ...COMPONENT, ...changes });
const buildDeps = (indexId: string) => ({
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId,
});
const open = (changes: object = {}, indexId = 'index') =>
  new AstraStore(buildSettings(changes), buildDeps(indexId));
const points = (count: number) => Array.from({ length: count }, (_, at) => toVectorPoint({}, at));

it.each([
  ['https://d-r.apps.test', undefined, 'https://d-r.apps.test/api/json/v1/default_keyspace'],
  ['https://d-r.apps.test/', '', 'https://d-r.apps.test/api/json/v1/default_keyspace'],
  ['http://hcd.test:8181/at/?a=1#b', 'mine', 'http://hcd.test:8181/at/api/json/v1/mine'],
  ['https://d-r.apps.test', '../a?b', 'https://d-r.apps.test/api/json/v1/..%2Fa%3Fb'],
  ['ftp://d-r.apps.test', undefined, undefined],
  ['d-r.apps.test', undefined, undefined],
])('endpoint %s with keyspace %s uses the URL %s', (api_endpoint, keyspace, expected) => {
  expect(getKeyspaceUrl(buildSettings({ api_endpoint, keyspace }))).toBe(expected);
});

describe('Astra DB sink', () => {
  const vendors = useVendors(VENDOR);
  const sent = async (command: string) =>
    (await vendors.current.state()).seen.flatMap(({ body }) => {
      const given = (body as Record<string, Record<string, unknown>>)[command];
      return given ? [given] : [];
    });

  it('stores each vector with its fields', async () => {
    const store = open();
    await store.ensure(8);
    const point = { ...toVectorPoint({ year: 2024, tags: ['x'] }, 1), version: 3, pages: { page_label: 5 } };
    await store.upsert([point]);
    const { seen } = await vendors.current.state();
    expect(seen.every(({ headers }) => headers.token === TOKEN)).toBe(true);
    expect((await sent('insertMany'))[0]).toMatchObject({
      documents: [
        {
          ...{ _id: point.id, sluice_index: 'index', document_id: '1', version: 3, position: 0 },
          ...{ node_id: 'node 1', title: 'Annual report', text: 'walrus', pages: { page_label: 5 } },
          ...{ metadata: { year: 2024, tags: ['x'] }, unfilterable: [], more_metadata: null },
        },
      ],
    });
  });

  it('creates the collection once for concurrent calls', async () => {
    const store = open();
    await Promise.all([store.ensure(8), open().ensure(8)]);
    await store.ensure(8);
    const { seen } = await vendors.current.state();
    expect(seen.filter(({ note }) => note === 'made')).toHaveLength(1);
    expect((await sent('createCollection'))[0]).toMatchObject({
      name: 'c',
      options: {
        vector: { dimension: 8, metric: 'cosine' },
        indexing: { deny: expect.arrayContaining(['text']) },
      },
    });
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    await open().ensure(8);
    await expect(open().ensure(16)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/Astra DB.*embedding_dimension is 8.* 16.*embedding_config/),
    });
    await expect(open({ embedding_dimension: 16 }).ensure(16)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/Astra DB.*collection_name.* 8 dimensions.* 16/),
    });
  });

  it('returns cosine scores', async () => {
    const store = open();
    await store.ensure(8);
    const [ahead, behind] = points(2) as [ReturnType<typeof toVectorPoint>, ReturnType<typeof toVectorPoint>];
    const away = { ...behind, vector: ahead.vector.map((x) => -x) };
    await store.upsert([ahead, away]);
    const scores = (await store.query(ahead.vector, 5)).map(({ score }) => Math.round(score * 1e4) / 1e4);
    expect(scores).toEqual([1, -1]);
  });

  it('keeps only the last write of each point', async () => {
    const store = open();
    await store.ensure(8);
    const [first, second, third] = points(3);
    await store.upsert([first!, second!]);
    await store.upsert([{ ...first!, position: 7 }, third!]);
    const positions = (await store.query(toDirection('x'), 10)).map(({ documentId, position }) => [
      documentId,
      position,
    ]);
    expect(positions.sort()).toEqual([
      ['0', 7],
      ['1', 0],
      ['2', 0],
    ]);
    expect(await sent('findOneAndReplace')).toHaveLength(1);
  });

  it('splits a search by many documents and merges the nearest results', async () => {
    const store = open();
    await store.ensure(8);
    const all = points(230);
    for (const from of [0, 100, 200]) await store.upsert(all.slice(from, from + 100));
    const wanted = all.slice(0, 220);
    const near = wanted.at(-1)!;
    const found = await store.query(near.vector, 30, {
      documentIds: wanted.map(({ documentId }) => documentId),
    });
    expect(found).toHaveLength(30);
    expect(found[0]!.documentId).toBe(near.documentId);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
    const alone = await store.query(near.vector, 230);
    const among = alone.filter(({ documentId }) => Number(documentId) < 220).slice(0, 30);
    expect(found.map(({ documentId }) => documentId)).toEqual(among.map(({ documentId }) => documentId));
  });

  it('limits results to one vendor search page', async () => {
    const store = open();
    await store.ensure(8);
    await store.upsert(points(2));
    expect(await store.query(toDirection('x'), 10_000)).toHaveLength(2);
    expect(store.limits.largestPage).toBe(1_000);
  });

  it('deletes and updates only its own points, in as many calls as needed', async () => {
    const [store, other] = [open(), open({}, 'another index')];
    await store.ensure(8);
    const many = points(45).map((point) => ({ ...point, documentId: 'a' }));
    await store.upsert(many);
    await other.upsert(many.slice(0, 1).map((point) => ({ ...point, id: crypto.randomUUID() })));
    await store.describe({ documentId: 'a', title: 'New', metadata: { year: 2025 } });
    expect(await sent('updateMany')).toHaveLength(3);
    const ofYear = { preFilter: { key: 'year', oneOf: [2025] } };
    expect(await store.query(toDirection('x'), 100, ofYear)).toHaveLength(45);
    expect(await other.query(toDirection('x'), 100, ofYear)).toEqual([]);
    await store.remove([{ documentId: 'a', version: 0 }]);
    expect(await store.query(toDirection('x'), 100)).toHaveLength(45);
    await store.remove([{ documentId: 'a', version: 1 }]);
    expect(await store.query(toDirection('x'), 100)).toEqual([]);
    await store.drop();
    expect(await other.query(toDirection('x'), 100)).toHaveLength(1);
  });

  it.each([
    ['deleteMany', (store: ReturnType<typeof open>) => store.drop(), { deletedCount: 0, moreData: true }],
    [
      'updateMany',
      (store: ReturnType<typeof open>) => store.describe({ documentId: 'a', title: '', metadata: {} }),
      { nextPageState: 'p' },
    ],
  ])('fails if %s never completes', async (_, ask, status) => {
    const fault = { kind: 'body', body: JSON.stringify({ status }) } as const;
    await vendors.current.fail(fault, fault, fault);
    await expect(ask(open())).rejects.toMatchObject({ name: 'SinkError', retryable: true });
  });

  it('skips documents with invalid fields', async () => {
    const store = open();
    await store.ensure(8);
    await store.upsert(
      points(2).map((point, at) => (at === 0 ? point : { ...point, version: 'three' as never })),
    );
    expect(await store.query(toDirection('x'), 5)).toMatchObject([{ documentId: '0', version: 1 }]);
  });

  it.each([
    ['SERVER', true],
    ['REQUEST', false],
  ])(
    'fails for an error with status 200 of family %s without revealing secrets',
    async (family, retryable) => {
      const message = `no, ${TOKEN}\n${'for long '.repeat(100)}`;
      const body = JSON.stringify({ errors: [{ message, errorCode: 'WHY', family }] });
      for (const ask of [
        () => open().query(toDirection('x'), 5),
        () => open().upsert(points(1)),
        () => open().ensure(8),
      ]) {
        await vendors.current.fail({ kind: 'body', body });
        const failure = await ask().catch((error: unknown) => error);
        expect(failure).toMatchObject({ name: 'SinkError', retryable });
        expect(String(failure)).toMatch(/Astra DB.*collection c.*WHY: no/);
        expect(String(failure)).not.toContain(TOKEN);
        expect(String(failure).length).toBeLessThan(500);
      }
    },
  );

  it('fails if one of many documents is rejected', async () => {
    const store = open();
    await store.ensure(8);
    const [right, wrong] = points(2);
    await expect(store.upsert([right!, { ...wrong!, vector: new Float32Array(3) }])).rejects.toThrow(
      'INVALID_VECTOR_LENGTH',
    );
  });

  it('fails if the answer omits a document', async () => {
    await vendors.current.fail({ kind: 'body', body: '{"status":{"documentResponses":[]}}' });
    await expect(open().upsert(points(1))).rejects.toMatchObject({ name: 'SinkError', retryable: true });
  });

  it('passes on Retry-After', async () => {
    await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '17' } });
    const asked = open().query(toDirection('x'), 5);
    await expect(asked).rejects.toMatchObject({ name: 'SinkError', retryable: true, retryAfter: 17 });
  });

  it.each([
    ['no JSON', 'nothing', true],
    ['another shape', '{"data":{"documents":"many"}}', false],
    ['nothing in it', '{}', false],
  ])('fails for an answer with %s', async (_, body, retryable) => {
    const fault = { kind: 'body', body } as const;
    await vendors.current.fail(fault);
    await expect(open().query(toDirection('x'), 5)).rejects.toMatchObject({ name: 'SinkError', retryable });
  });
});

describe('check', () => {
  const check = (changes: object = {}, dimension?: number) =>
    astra.check(buildSettings(changes), buildDeps('index'), dimension);
  const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });

  describe('with an Astra DB vendor', () => {
    const vendors = useVendors(VENDOR);

    it('passes with and without a collection', async () => {
      await check();
      await open().ensure(8);
      await check();
    });

    it('names the wrong setting', async () => {
      await open().ensure(8);
      const wrong: [string, unknown][] = [
        ['token', 'another'],
        ['api_endpoint', 'nothing at all'],
        ['collection_name', 'with a space'],
        ['collection_name', ''],
        ['keyspace', 'of somebody else'],
        ['keyspace', 'another'],
        ['embedding_dimension', 0],
        ['embedding_dimension', 5_000],
      ];
      for (const [name, value] of wrong) {
        await expect(check({ [name]: value })).rejects.toMatchObject(naming(name));
      }
      await expect(check({ embedding_dimension: 16 })).rejects.toMatchObject(naming('collection_name'));
      await check({}, 8);
      await expect(check({}, 16)).rejects.toMatchObject(naming('embedding_dimension'));
      await vendors.current.fail({ kind: 'status', status: 405 });
      await expect(check()).rejects.toMatchObject(naming('api_endpoint'));
    });

    it('is retryable if the store is busy', async () => {
      await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
      await expect(check()).rejects.toMatchObject({ name: 'SinkError', retryable: true });
    });
  });

  const vector = { dimension: 8, metric: 'cosine' };
  describe.each([
    ['compares otherwise', { vector: { dimension: 8, metric: 'euclidean' } }, 'euclidean'],
    ['holds no vectors', {}, 'no vectors'],
    ['indexes other members', { vector, indexing: { allow: ['text', 'metadata'] } }, 'sluice_index'],
    ['leaves out a part of the metadata', { vector, indexing: { deny: ['metadata.a'] } }, 'metadata'],
  ])('with a collection that %s', (_, options, word) => {
    const collections = [{ name: 'c', options }, { name: 5 }];
    useVendors({ ...VENDOR, settings: { token: TOKEN, collections } });

    it('explains the problem', async () => {
      await expect(check()).rejects.toMatchObject(naming('collection_name'));
      await expect(open().ensure(8)).rejects.toThrow(word);
    });
  });

  describe('with a collection that indexes every field', () => {
    useVendors({ ...VENDOR, settings: { token: TOKEN, collections: [{ name: 'c', options: { vector } }] } });

    it('passes', () => check());
  });
});
