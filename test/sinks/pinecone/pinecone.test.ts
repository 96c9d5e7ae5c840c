import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { warningsOf } from '#src/lib/schema/effect.ts';
import { pointsOf } from '#src/sinks/external/points.ts';
import pinecone from '#src/sinks/pinecone/pinecone.ts';
import { PineconeStore } from '#src/sinks/pinecone/store.ts';
import { chunks, directionOf, document } from '#test/suites/sink/content.ts';
import { useVendors } from '#test/vendors/client.ts';

const KEY = 'key-of-the-vendor';
const settingsOf = (changes: object = {}) =>
  pinecone.settings.parse({ api_key: KEY, index_name: 'i', ...changes });
const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId: 'index',
};
const open = (changes: object = {}, indexId = 'index') =>
  new PineconeStore(settingsOf(changes), { ...deps, indexId });
const check = (changes: object = {}, dimension?: number) =>
  pinecone.check(settingsOf(changes), deps, dimension);
const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });
const having = (settings: object = {}) => [
  { vendor: 'pinecone-control', settings: { key: KEY, ...settings } },
  { vendor: 'pinecone-data', settings: { key: KEY, dimension: 8, ...settings } },
];
const pointsFor = (documentId: string, rest: object = {}, texts = ['walrus'], indexId = 'index') =>
  pointsOf(indexId, document(documentId, 3, rest), chunks(documentId, 3, texts));

describe('the store', () => {
  const vendors = useVendors(...having());
  const sent = async (path: string) =>
    (await vendors.current.state()).seen.filter(({ operation }) => operation?.endsWith(path));

  it('is told with each vector what it stands for, in the namespace', async () => {
    const metadata = { year: 2024, tags: ['x'], flag: true, none: null, version: 'mine' };
    const points = await pointsOf(
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
    expect(await open().query(directionOf('walrus'), 5)).toEqual([]);
    const [found] = await open({ namespace: 'n' }).query(directionOf('walrus'), 5);
    expect(found).toMatchObject({ documentId: 'a/b ü', version: 3, position: 0 });
    expect(found!.score).toBeCloseTo(1, 6);
  });

  it('finds documents whose ids are too long for an id of the vendor', async () => {
    const ids = ['ü'.repeat(1000), `${'ü'.repeat(999)}x`];
    for (const id of ids) await open().upsert(await pointsFor(id, {}, [id.slice(-1)]));
    const found = await open().query(directionOf('x'), 5);
    expect(found.map(({ documentId }) => documentId)).toEqual([ids[1], ids[0]]);
    expect(found[0]).toMatchObject({ version: 3, position: 0 });
  });

  it('keeps what fits of large texts and metadata, and never fails for them', async () => {
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
    const narrowing = { key: 'long', oneOf: [long] };
    expect(await open().query(directionOf('x'), 5, { narrowing })).toHaveLength(2);
  });

  it('is written to in requests as large as the vendor takes, or as batch_size says', async () => {
    const texts = Array.from({ length: 300 }, (_, i) => `${i} ${'word '.repeat(3_000)}`);
    await open().upsert(await pointsFor('a', {}, texts));
    const whole = await sent('/vectors/upsert');
    expect(whole.length).toBeGreaterThan(1);
    expect(whole.every(({ status }) => status === 200)).toBe(true);
    expect(await open().query(directionOf('x'), 1_000)).toHaveLength(300);
    await open({ insert_kwargs: { batch_size: 7 } }).upsert(await pointsFor('b', {}, texts.slice(0, 15)));
    const few = (await sent('/vectors/upsert')).slice(whole.length);
    expect(few.map(({ body }) => (body as { vectors: [] }).vectors.length)).toEqual([7, 7, 1]);
  });

  it('leaves out what has no direction, and finds nothing near it', async () => {
    const [first, second] = await pointsFor('a', {}, ['one', 'two']);
    await open().upsert([{ ...first!, vector: new Float32Array(8) }, second!]);
    expect(await open().query(directionOf('x'), 5)).toMatchObject([{ position: 1 }]);
    expect(await open().query(new Float32Array(8), 5)).toEqual([]);
  });

  it('leaves the points of other indexes and of other people alone', async () => {
    const [mine] = await pointsFor('a');
    await open().upsert([mine!]);
    const other = open({}, 'other');
    await other.upsert(await pointsFor('a', {}, ['walrus'], 'other'));
    const origin = 'https://the-index-abc.svc.aped.pinecone.io';
    const headers = { 'api-key': KEY, 'x-pinecone-api-version': '2025-10' };
    const metadata = { sluice_index: 'index' };
    const vectors = ['index/%ff/1/1', 'index/a/b/c', 'index', 'index/x', 'else/a/1/1'].map((id) => ({
      ...{ id, values: [...directionOf('walrus')], metadata },
    }));
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    await fetch(`${origin}/vectors/upsert`, { ...init, body: JSON.stringify({ vectors }) });
    expect(await open().query(directionOf('walrus'), 10)).toMatchObject([{ documentId: 'a', version: 3 }]);
    await open().drop();
    expect(await open().query(directionOf('walrus'), 10)).toEqual([]);
    expect(await other.query(directionOf('walrus'), 10)).toHaveLength(1);
  });

  it('empties what a document does not say any more, and never grows beyond what the vendor takes', async () => {
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
    const narrowing = { key: 'kept', oneOf: [2] };
    expect(await store.query(directionOf('x'), 5, { narrowing })).toHaveLength(1);
  });

  it('of another dimension is refused in words that name both and the field', async () => {
    await expect(open().ensure(16)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/VENDOR_E.*index_name.* 8 dimensions.* 16.*embedding_config/),
    });
    await open().ensure(8);
  });

  it('must be there: none is made', async () => {
    await expect(open({ index_name: 'absent' }).ensure(8)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/absent \(index_name\).* 8 dimensions, compared by cosine/),
    });
    const [points, none] = [await pointsFor('a'), open({ index_name: 'absent' })];
    await expect(none.upsert(points)).rejects.toMatchObject({ status: 404 });
    await expect(none.query(directionOf('x'), 5)).rejects.toMatchObject({ status: 404 });
    await none.drop();
    await none.remove([{ documentId: 'a', version: 3 }]);
    expect((await vendors.current.state()).seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('that is slow by its own word is waited for, and told no secret of', async () => {
    await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '70' } });
    const failure = await open()
      .query(directionOf('x'), 5)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'SinkError', retryable: true, retryAfter: 70 });
    expect(String(failure)).toContain('VENDOR_E');
    expect(String(failure)).not.toContain(KEY);
  });

  it.each([
    ['another shape', '{"matches":7}'],
    ['no matches', '{}'],
  ])('that answers with %s fails', async (_, body) => {
    await vendors.current.fail({ kind: 'body', body, on: 'POST /query' });
    await expect(open().query(directionOf('x'), 5)).rejects.toMatchObject({ name: 'SinkError' });
  });

  it('leaves out a match that is none', async () => {
    const matches = [null, 7, { id: 3, score: 1 }, { id: 'index/a/1/0' }, { id: 'index/a/1/0', score: 2 }];
    await vendors.current.fail({ kind: 'body', body: JSON.stringify({ matches }), on: 'POST /query' });
    expect(await open().query(directionOf('x'), 5)).toEqual([
      { documentId: 'a', version: 1, position: 0, score: 1 },
    ]);
  });
});

describe('the check', () => {
  useVendors(...having());

  it('names the setting that is wrong', async () => {
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
])('an index that %s', (_, settings, word) => {
  useVendors(...having(settings));

  it('is refused in words', async () => {
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
])('an index that is said to be at %s', (host) => {
  const vendors = useVendors(...having({ host }));

  it('gets neither the key nor a request', async () => {
    await expect(open().query(directionOf('x'), 5)).rejects.toThrow('outside of pinecone.io');
    const { seen } = await vendors.current.state();
    expect(seen.map(({ url }) => url)).toEqual(['https://api.pinecone.io/indexes/i']);
  });
});

describe('an index that compares by dot product', () => {
  useVendors(...having({ metric: 'dotproduct' }));

  it('gets vectors of length 1, so that scores are cosine similarities', async () => {
    const [point] = await pointsFor('a');
    const vector = point!.vector.map((x) => x * 5);
    await open().upsert([{ ...point!, vector }]);
    const near = directionOf('x').map((x) => x * 3);
    const cosine = directionOf('x').reduce((sum, x, i) => sum + x * point!.vector[i]!, 0);
    const [found] = await open().query(near, 5);
    expect(Math.abs(cosine)).toBeLessThan(0.9);
    expect(found!.score).toBeCloseTo(cosine, 6);
  });
});

describe.each([
  ['Initializing', true],
  ['InitializationFailed', false],
])('an index that is %s', (state, retryable) => {
  useVendors(...having({ ready: false, state }));

  it('is said to be so', async () => {
    const failure = { name: 'SinkError', retryable, message: expect.stringContaining(state) };
    await expect(open().ensure(8)).rejects.toMatchObject(failure);
    await expect(check()).rejects.toMatchObject(failure);
  });
});

describe('an index that finds by fewer fields of metadata', () => {
  useVendors(...having({ filterable: ['sluice_index', 'document_id', 'version'] }));

  it('is not narrowed by others', async () => {
    await open().ensure(8);
    await open().upsert(await pointsFor('a', { metadata: { year: 2024 } }));
    const narrowing = { key: 'year', oneOf: [2024] };
    expect(await open().query(directionOf('x'), 5, { narrowing })).toHaveLength(1);
  });
});

describe('insert_kwargs', () => {
  const parsed = (insert_kwargs: object) =>
    pinecone.settings.safeParse({ api_key: KEY, index_name: 'i', insert_kwargs });

  it.each([0, 1_001, 1.5, 'ten'])('has no batch_size of %j', (batch_size) => {
    expect(parsed({ batch_size }).error?.issues).toMatchObject([{ path: ['insert_kwargs', 'batch_size'] }]);
  });

  it('tells of those that change nothing', () => {
    const component = { api_key: KEY, index_name: 'i', insert_kwargs: { batch_size: 5, async_req: true } };
    expect(warningsOf(pinecone.settings, component)).toEqual([
      { field: 'insert_kwargs', reason: expect.stringMatching(/only batch_size .*: async_req$/) },
    ]);
    expect(parsed({ batch_size: 5, async_req: true }).success).toBe(true);
  });
});
