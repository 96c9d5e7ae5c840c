import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import pinecone from '#src/sinks/pinecone/pinecone.ts';
import { PineconeStore } from '#src/sinks/pinecone/store.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

const KEY = 'key-of-the-vendor';
const buildSettings = (changes: object = {}) =>
  pinecone.settings.parse({ api_key: KEY, index_name: 'i', ...changes });
const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId: 'index',
};
const open = (changes: object = {}, indexId = 'index') =>
  new PineconeStore(buildSettings(changes), { ...deps, indexId });
const check = (changes: object = {}, dimension?: number) =>
  pinecone.check(buildSettings(changes), deps, dimension);
const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });
const having = (settings: object = {}) => [
  { vendor: 'pinecone-control', settings: { key: KEY, ...settings } },
  { vendor: 'pinecone-data', settings: { key: KEY, dimension: 8, ...settings } },
];
const pointsFor = (documentId: string, rest: object = {}, texts = ['walrus'], indexId = 'index') =>
  toPoints(indexId, document(documentId, 3, rest), chunks(documentId, 3, texts));

describe('Pinecone sink', () => {
  const vendors = useVendors(...having());
  const sent = async (path: string) =>
    (await vendors.current.state()).seen.filter(({ operation }) => operation?.endsWith(path));

  it('stores each vector with its fields in the namespace', async () => {
    const metadata = { year: 2024, tags: ['x'], flag: true, none: null, version: 'mine' };
    const points = await toPoints(
      'index',
      document('a/b ü', 3, { title: 'Annual report', metadata }),
      chunks('a/b ü', 3, ['walrus']).map((chunk) => ({ ...chunk, startPage: 4 })),
    );
    await open({ namespace: 'n' }).upsert(points);
    const [upsert] = await sent('/vectors/upsert');
    expect(upsert!.headers).toMatchObject({ 'api-key': KEY, 'x-pinecone-api-version': '2025-10' });
    expect(upsert!.url).toBe('https://the-index-abc.svc.aped.pinecone.io/vectors/upsert');
    expect(upsert!.body).toMatchObject({
      namespace: 'n',
      vectors: [
        {
          id: 'index/a%2Fb%20%C3%BC/3/0',
          metadata: {
            ...{ sluice_index: 'index', document_id: 'a/b ü', version: 3, position: 0 },
            ...{ node_id: 'a/b ü/3/0', title: 'Annual report', text: 'walrus', page_label: 5 },
            ...{ metadata_year: 2024, metadata_tags: ['x'], metadata_flag: true, metadata_version: 'mine' },
            sluice_partial: false,
          },
        },
      ],
    });
    expect(JSON.stringify(upsert!.body)).not.toContain('metadata_none');
    expect(await open().query(toDirection('walrus'), 5)).toEqual([]);
    const [found] = await open({ namespace: 'n' }).query(toDirection('walrus'), 5);
    expect(found).toMatchObject({ documentId: 'a/b ü', version: 3, position: 0 });
    expect(found!.score).toBeCloseTo(1, 6);
  });

  it('finds documents whose ids exceed the vendor limit', async () => {
    const ids = ['ü'.repeat(1000), `${'ü'.repeat(999)}x`];
    for (const id of ids) await open().upsert(await pointsFor(id, {}, [id.slice(-1)]));
    const found = await open().query(toDirection('x'), 5);
    expect(found.map(({ documentId }) => documentId)).toEqual([ids[1], ids[0]]);
    expect(found[0]).toMatchObject({ version: 3, position: 0 });
  });

  it('keeps what fits of large texts and metadata', async () => {
    const long = '\u{1f600}'.repeat(20_000);
    await open().upsert(
      await pointsFor('a', { title: long, metadata: { long, short: 's', more: ['\u0001'.repeat(3_000)] } }, [
        long,
        '\u0001'.repeat(50_000),
      ]),
    );
    const [upsert] = await sent('/vectors/upsert');
    const { vectors } = upsert!.body as { vectors: { metadata: Record<string, string> }[] };
    expect(vectors[0]!.metadata).toMatchObject({ sluice_partial: true, metadata_short: 's' });
    expect(vectors[0]!.metadata).not.toHaveProperty('metadata_long');
    expect(vectors[0]!.metadata.text!.length).toBeGreaterThan(7_000);
    expect(vectors[0]!.metadata.text!.isWellFormed()).toBe(true);
    const preFilter = { key: 'long', oneOf: [long] };
    expect(await open().query(toDirection('x'), 5, { preFilter })).toHaveLength(2);
  });

  it('batches by the vendor limit or batch_size', async () => {
    const texts = Array.from({ length: 300 }, (_, i) => `${i} ${'word '.repeat(3_000)}`);
    await open().upsert(await pointsFor('a', {}, texts));
    const whole = await sent('/vectors/upsert');
    expect(whole.length).toBeGreaterThan(1);
    expect(whole.every(({ status }) => status === 200)).toBe(true);
    expect(await open().query(toDirection('x'), 1_000)).toHaveLength(300);
    await open({ insert_kwargs: { batch_size: 7 } }).upsert(await pointsFor('b', {}, texts.slice(0, 15)));
    const few = (await sent('/vectors/upsert')).slice(whole.length);
    expect(few.map(({ body }) => (body as { vectors: [] }).vectors.length)).toEqual([7, 7, 1]);
  });

  it('skips zero vectors and finds nothing near them', async () => {
    const [first, second] = await pointsFor('a', {}, ['one', 'two']);
    await open().upsert([{ ...first!, vector: new Float32Array(8) }, second!]);
    expect(await open().query(toDirection('x'), 5)).toMatchObject([{ position: 1 }]);
    expect(await open().query(new Float32Array(8), 5)).toEqual([]);
  });

  it('keeps points of other indexes and other writers', async () => {
    const [mine] = await pointsFor('a');
    await open().upsert([mine!]);
    const other = open({}, 'other');
    await other.upsert(await pointsFor('a', {}, ['walrus'], 'other'));
    const origin = 'https://the-index-abc.svc.aped.pinecone.io';
    const headers = { 'api-key': KEY, 'x-pinecone-api-version': '2025-10' };
    const metadata = { sluice_index: 'index' };
    const vectors = ['index/%ff/1/1', 'index/a/b/c', 'index', 'index/x', 'else/a/1/1'].map((id) => ({
      ...{ id, values: [...toDirection('walrus')], metadata },
    }));
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    await fetch(`${origin}/vectors/upsert`, { ...init, body: JSON.stringify({ vectors }) });
    expect(await open().query(toDirection('walrus'), 10)).toMatchObject([{ documentId: 'a', version: 3 }]);
    await open().drop();
    expect(await open().query(toDirection('walrus'), 10)).toEqual([]);
    expect(await other.query(toDirection('walrus'), 10)).toHaveLength(1);
  });

  it('clears removed metadata and stays within the vendor limit', async () => {
    const store = open();
    await store.upsert(await pointsFor('a', { metadata: { old: 'x', kept: 1 } }));
    for (let round = 0; round < 8; round++) {
      const metadata = Object.fromEntries(
        Array.from({ length: 150 }, (_, i) => [`${round} ${i} ${'k'.repeat(30)}`, i]),
      );
      await store.describe({ documentId: 'a', title: 'New', metadata: { ...metadata, kept: 2 } });
    }
    const updates = await sent('/vectors/update');
    expect(updates.every(({ status }) => status === 200)).toBe(true);
    expect(updates[0]!.body).toMatchObject({
      setMetadata: { title: 'New', metadata_old: '', metadata_kept: 2, sluice_partial: false },
    });
    expect(updates.at(-1)!.body).toMatchObject({ setMetadata: { sluice_partial: true } });
    const preFilter = { key: 'kept', oneOf: [2] };
    expect(await store.query(toDirection('x'), 5, { preFilter })).toHaveLength(1);
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    await expect(open().ensure(16)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/Pinecone.*index_name.* 8 dimensions.* 16.*embedding_config/),
    });
    await open().ensure(8);
  });

  it('requires an existing index', async () => {
    await expect(open({ index_name: 'absent' }).ensure(8)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/absent \(index_name\).* 8 dimensions and the metric cosine/),
    });
    const [points, none] = [await pointsFor('a'), open({ index_name: 'absent' })];
    await expect(none.upsert(points)).rejects.toMatchObject({ status: 404 });
    await expect(none.query(toDirection('x'), 5)).rejects.toMatchObject({ status: 404 });
    await none.drop();
    await none.remove([{ documentId: 'a', version: 3 }]);
    expect((await vendors.current.state()).seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('passes on Retry-After without revealing secrets', async () => {
    await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '70' } });
    const failure = await open()
      .query(toDirection('x'), 5)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'SinkError', retryable: true, retryAfter: 70 });
    expect(String(failure)).toContain('Pinecone');
    expect(String(failure)).not.toContain(KEY);
  });

  it.each([
    ['another shape', '{"matches":7}'],
    ['no matches', '{}'],
  ])('fails for an answer with %s', async (_, body) => {
    await vendors.current.fail({ kind: 'body', body, on: 'POST /query' });
    await expect(open().query(toDirection('x'), 5)).rejects.toMatchObject({ name: 'SinkError' });
  });

  it('skips an invalid match', async () => {
    const matches = [null, 7, { id: 3, score: 1 }, { id: 'index/a/1/0' }, { id: 'index/a/1/0', score: 2 }];
    await vendors.current.fail({ kind: 'body', body: JSON.stringify({ matches }), on: 'POST /query' });
    expect(await open().query(toDirection('x'), 5)).toEqual([
      { documentId: 'a', version: 1, position: 0, score: 1 },
    ]);
  });
});

describe('check', () => {
  useVendors(...having());

  it('names the wrong setting', async () => {
    await check();
    await expect(check({ api_key: 'another' })).rejects.toMatchObject(naming('api_key'));
    await expect(check({ index_name: 'absent' })).rejects.toMatchObject(naming('index_name'));
    await expect(check({ index_name: 'absent' }, 77)).rejects.toThrow('77 dimensions');
    await expect(check({}, 77)).rejects.toMatchObject(naming('index_name'));
    for (const index_name of ['', '..', 'a/b', 'Upper', '-a', 'a?b', 'a'.repeat(46)]) {
      await expect(check({ index_name })).rejects.toMatchObject(naming('index_name'));
      await expect(open({ index_name }).ensure(8)).rejects.toThrow('index_name');
    }
  });
});

describe.each([
  ['compares by distance', { metric: 'euclidean' }, 'euclidean'],
  ['is sparse', { vectorType: 'sparse', metric: 'dotproduct' }, 'sparse'],
  ['finds by other fields alone', { filterable: ['genre', 'version'] }, 'sluice_index, document_id'],
])('Pinecone index that %s', (_, settings, word) => {
  useVendors(...having(settings));

  it('is rejected with an explanation', async () => {
    await expect(check()).rejects.toMatchObject(naming('index_name'));
    await expect(open().ensure(8)).rejects.toThrow(word);
  });
});

describe.each([
  ['evil.test'],
  ['pinecone.io.evil.test'],
  ['evilpinecone.io'],
  ['a.pinecone.io:8443'],
  ['user@a.pinecone.io'],
  ['http://a.pinecone.io'],
  ['a.pinecone.io/x?y'],
  ['evil.test#.pinecone.io'],
  ['127.0.0.1'],
])('Pinecone index host %s', (host) => {
  const vendors = useVendors(...having({ host }));

  it('receives neither the key nor a request', async () => {
    await expect(open().query(toDirection('x'), 5)).rejects.toThrow('not under pinecone.io');
    const { seen } = await vendors.current.state();
    expect(seen.map(({ url }) => url)).toEqual(['https://api.pinecone.io/indexes/i']);
  });
});

describe('Pinecone index with dot product metric', () => {
  useVendors(...having({ metric: 'dotproduct' }));

  it('receives normalized vectors, so scores are cosine similarities', async () => {
    const [point] = await pointsFor('a');
    const vector = point!.vector.map((x) => x * 5);
    await open().upsert([{ ...point!, vector }]);
    const near = toDirection('x').map((x) => x * 3);
    const cosine = toDirection('x').reduce((sum, x, i) => sum + x * point!.vector[i]!, 0);
    const [found] = await open().query(near, 5);
    expect(Math.abs(cosine)).toBeLessThan(0.9);
    expect(found!.score).toBeCloseTo(cosine, 6);
  });
});

describe.each([
  ['Initializing', true],
  ['InitializationFailed', false],
])('Pinecone index in state %s', (state, retryable) => {
  useVendors(...having({ ready: false, state }));

  it('is reported', async () => {
    const failure = { name: 'SinkError', retryable, message: expect.stringContaining(state) };
    await expect(open().ensure(8)).rejects.toMatchObject(failure);
    await expect(check()).rejects.toMatchObject(failure);
  });
});

describe('Pinecone index with a limited set of filterable metadata fields', () => {
  useVendors(...having({ filterable: ['sluice_index', 'document_id', 'version'] }));

  it('is not filtered by other fields', async () => {
    await open().ensure(8);
    await open().upsert(await pointsFor('a', { metadata: { year: 2024 } }));
    const preFilter = { key: 'year', oneOf: [2024] };
    expect(await open().query(toDirection('x'), 5, { preFilter })).toHaveLength(1);
  });
});

describe('insert_kwargs', () => {
  const parsed = (insert_kwargs: object) =>
    pinecone.settings.safeParse({ api_key: KEY, index_name: 'i', insert_kwargs });

  it.each([0, 1_001, 1.5, 'ten'])('rejects a batch_size of %j', (batch_size) => {
    expect(parsed({ batch_size }).error?.issues).toMatchObject([{ path: ['insert_kwargs', 'batch_size'] }]);
  });

  it('warns about members without effect', () => {
    const component = { api_key: KEY, index_name: 'i', insert_kwargs: { batch_size: 5, async_req: true } };
    expect(collectWarnings(pinecone.settings, component)).toEqual([
      { field: 'insert_kwargs', reason: expect.stringMatching(/only batch_size .*: async_req$/) },
    ]);
    expect(parsed({ batch_size: 5, async_req: true }).success).toBe(true);
  });
});
