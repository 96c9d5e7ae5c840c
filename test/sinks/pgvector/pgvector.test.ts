import { beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '#src/ports/index-types.ts';
import { toPoints } from '#src/sinks/external/points.ts';
import { chunks, document, toDirection } from '#test/suites/sink/content.ts';
import { ask, check, component, open, PASSWORD } from './pgvector.ts';

// The first connection starts the database, which takes time.
beforeAll(() => ask('select 1'), 120_000);

const pointsWith = (documentId: string, texts: string[], metadata: Metadata = {}, dimension = 8) =>
  toPoints(
    'index',
    document(documentId, 3, { title: `About ${documentId}`, metadata }),
    chunks(documentId, 3, texts, dimension),
  );
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const WORDS = Array.from({ length: 40 }, (_, i) => `word ${i}`);

describe('pgvector table', () => {
  it('stores each vector with its fields', async () => {
    const given = component();
    const store = open(given);
    await store.ensure(8);
    const [point] = await pointsWith('a', ['walrus'], { year: 2024, tags: ['x'] });
    await store.upsert([{ ...point!, pages: { page_label: 5 } }]);
    const table = `tests."${given.table_name}"`;
    expect(await ask(`select *, vector_dims(embedding) as dims from ${table}`)).toMatchObject([
      {
        ...{
          id: point!.id,
          sluice_index: 'index',
          document_id: 'a',
          version: '3',
          position: 0,
          node_id: 'a/3/0',
        },
        ...{
          title: 'About a',
          text: 'walrus',
          metadata: { year: 2024, tags: ['x'] },
          pages: { page_label: 5 },
        },
        dims: 8,
      },
    ]);
    await store.describe({ documentId: 'a', title: 'New', metadata: { year: 1 } });
    expect(await ask(`select title, metadata from ${table}`)).toEqual([
      { title: 'New', metadata: { year: 1 } },
    ]);
  });

  it('is created once for concurrent calls', async () => {
    const given = component({ hnsw_settings: {}, schema_name: `new ${crypto.randomUUID()}` });
    await Promise.all([open(given).ensure(8), open(given).ensure(8), open(given).ensure(8)]);
    await open(given).ensure(8);
    const indexes = await ask('select indexdef from pg_indexes where tablename = $1', [given.table_name]);
    const kinds = indexes.map(({ indexdef }) => / using (\w+)/i.exec(indexdef as string)?.[1]).sort();
    expect(kinds).toEqual(['btree', 'btree', 'hnsw']);
  });

  it('has a full-text column if hybrid_search is enabled', async () => {
    const given = component();
    await open(given).ensure(8);
    const hybrid = { ...given, hybrid_search: true };
    await open(hybrid).ensure(8);
    await open(hybrid).upsert(await pointsWith('a', ['walrus in the sea', 'seal']));
    const table = `tests."${given.table_name}"`;
    const found = await ask(`select text from ${table} where text_search_tsv @@ to_tsquery('simple', $1)`, [
      'sea',
    ]);
    expect(found).toEqual([{ text: 'walrus in the sea' }]);
  });

  it('accepts texts longer than the database can index', async () => {
    const store = open(component({ hybrid_search: true }));
    await store.ensure(8);
    const long = Array.from({ length: 400_000 }, (_, i) => i.toString(36)).join(' ');
    await store.upsert(await pointsWith('a', [long]));
    expect(await store.query(toDirection(long), 1)).toHaveLength(1);
  });

  it('rejects another dimension with an error that names both dimensions and the field', async () => {
    const given = component();
    await expect(open(given).ensure(16)).rejects.toThrow(/PostgreSQL.*embed_dim is 8.* 16 dimensions/);
    await open(given).ensure(8);
    await expect(open({ ...given, embed_dim: 16 }).ensure(16)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
      message: expect.stringMatching(/ 8 dimensions.*embed_dim is 16/),
    });
    const wide = await pointsWith('a', ['walrus'], {}, 16);
    await expect(open(given).upsert(wide)).rejects.toThrow(/expected 8 dimensions, not 16.*embed_dim/);
    await open(given).upsert(await pointsWith('a', ['walrus']));
    await expect(open(given).query(wide[0]!.vector, 1)).rejects.toThrow(/8 and 16.*embed_dim/);
  });

  it('rejects another schema with an error that names the column', async () => {
    const given = component();
    await ask(`create schema if not exists tests; create table tests."${given.table_name}" (id int)`);
    await expect(open(given).ensure(8)).rejects.toThrow(
      /table_name.*column id has type int4 instead of uuid/,
    );
  });

  it('is not created or indexed if perform_setup is false', async () => {
    const given = component();
    const strict = { ...given, perform_setup: false, hnsw_settings: {} };
    await expect(open(strict).ensure(8)).rejects.toThrow(
      /table_name.*does not exist.*perform_setup is false/,
    );
    expect(await ask('select 1 from pg_tables where tablename = $1', [given.table_name])).toEqual([]);
    await open(given).ensure(8);
    await open(strict).ensure(8);
    await open(strict).upsert(await pointsWith('a', ['walrus']));
    expect(await open(strict).query(toDirection('walrus'), 5)).toHaveLength(1);
    const indexes = await ask('select indexdef from pg_indexes where tablename = $1', [given.table_name]);
    expect(JSON.stringify(indexes)).not.toContain('hnsw');
  });

  it('can be deleted from if missing, and queries return 404', async () => {
    const store = open();
    await store.remove([{ documentId: 'a', version: 1 }]);
    await store.drop();
    await expect(store.query(toDirection('x'), 5)).rejects.toMatchObject({ name: 'SinkError', status: 404 });
  });

  it.each(['"', `"; drop schema tests; --`, `a'b`, 'a.b', '$1', '%s', 'тест', 'a\\b', ' ', 'select'])(
    'supports the name %j for table and schema',
    async (name) => {
      const given = component({
        table_name: name,
        schema_name: `s ${name}`,
        hnsw_settings: {},
        hybrid_search: true,
      });
      const store = open(given);
      await store.ensure(8);
      await store.upsert(await pointsWith('a', ['walrus']));
      expect(await store.query(toDirection('walrus'), 5)).toMatchObject([{ documentId: 'a' }]);
      await store.remove([{ documentId: 'a', version: 3 }]);
      expect(await store.query(toDirection('walrus'), 5)).toEqual([]);
      await store.drop();
      const tables = await ask('select 1 from pg_tables where schemaname = $1 and tablename = $2', [
        `s ${name}`,
        name,
      ]);
      expect(tables).toHaveLength(1);
    },
  );
});

describe('pgvector query', () => {
  it.each([
    undefined,
    {},
    { distance_method: 'l2' },
    { distance_method: 'ip' },
    { distance_method: 'l1' },
    { vector_type: 'half_vec' },
    { vector_type: 'half_vec', distance_method: 'l2' },
    { vector_type: 'sparse_vec' },
    { vector_type: 'sparse_vec', distance_method: 'l1' },
    { vector_type: 'bit' },
    { vector_type: 'bit', distance_method: 'jaccard', ef_search: 200, m: 5, ef_construction: 20 },
  ])('with %j returns the cosine of the full vectors', async (hnsw_settings) => {
    const store = open(component({ hnsw_settings }));
    await store.ensure(8);
    await store.upsert(await pointsWith('a', WORDS));
    const asked = toDirection('asked');
    const expected = WORDS.map((word, position) => ({ position, score: cosine(asked, toDirection(word)) }));
    expected.sort((a, b) => b.score - a.score);
    const all = await store.query(asked, 100);
    expect(all.map(({ position }) => position)).toEqual(expected.map(({ position }) => position));
    for (const [i, { score }] of all.entries()) expect(score).toBeCloseTo(expected[i]!.score, 5);
    const near = await store.query(asked, 10);
    expect(near).toHaveLength(10);
    expect(near.map(({ score }) => score)).toEqual(near.map(({ score }) => score).toSorted((a, b) => b - a));
    for (const { position, score } of near) {
      expect(score).toBeCloseTo(cosine(asked, toDirection(WORDS[position]!)), 5);
    }
  });

  it('uses the configured index', async () => {
    const given = component({ hnsw_settings: { vector_type: 'half_vec' } });
    await open(given).ensure(8);
    await open(given).upsert(await pointsWith('a', WORDS));
    const [index] = await ask(
      `select indexname from pg_indexes where tablename = $1 and indexdef like '%hnsw%'`,
      [given.table_name],
    );
    const scans = async () => {
      await ask('select pg_stat_force_next_flush()');
      const [row] = await ask('select idx_scan from pg_stat_user_indexes where indexrelname = $1', [
        index!.indexname as string,
      ]);
      return Number(row!.idx_scan);
    };
    await ask(`select set_config('enable_sort', 'off', false), set_config('enable_seqscan', 'off', false)`);
    const before = await scans();
    await open(given).query(toDirection('x'), 5);
    await ask(`select set_config('enable_sort', 'on', false), set_config('enable_seqscan', 'on', false)`);
    await expect.poll(scans).toBeGreaterThan(before);
  });

  it('ranks zero vectors last', async () => {
    const store = open(component({ hnsw_settings: {} }));
    await store.ensure(8);
    const [one, two] = await pointsWith('a', ['walrus', 'seal']);
    await store.upsert([{ ...one!, vector: new Float32Array(8) }, two!]);
    const found = await store.query(toDirection('seal'), 5);
    expect(found.map(({ position, score }) => [position, Math.round(score)])).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });

  it('returns, removes and drops only points of its own index', async () => {
    const given = component();
    const [mine, other] = [open(given), open(given, { indexId: 'other' })];
    await mine.ensure(8);
    await mine.upsert(await pointsWith('a', ['walrus']));
    await other.upsert(
      (await pointsWith('a', ['walrus'])).map((point) => ({ ...point, id: crypto.randomUUID() })),
    );
    await other.remove([{ documentId: 'a', version: 2 }]);
    expect(await other.query(toDirection('x'), 5)).toHaveLength(1);
    await other.drop();
    expect(await other.query(toDirection('x'), 5)).toEqual([]);
    expect(await mine.query(toDirection('x'), 5)).toHaveLength(1);
  });

  it('skips rows with invalid fields', async () => {
    const given = component();
    const store = open(given);
    await store.ensure(8);
    await store.upsert(await pointsWith('a', ['walrus', 'seal']));
    await ask(`update tests."${given.table_name}" set document_id = '"\\' where position = 1`);
    expect(await store.query(toDirection('x'), 5)).toMatchObject([{ documentId: 'a', position: 0 }]);
  });
});

describe('pgvector connection', () => {
  it('is shared by concurrent calls and closed after the last', async () => {
    const given = component({ database: crypto.randomUUID() });
    const store = open(given);
    const opened = async () =>
      Number(
        /(\d+) open/.exec(
          String(await check({ ...given, user: 'open' }).catch((error: unknown) => error)),
        )?.[1],
      );
    await store.ensure(8);
    await Promise.all(Array.from({ length: 20 }, () => store.query(toDirection('x'), 5)));
    expect(await opened()).toBe(1);
    await expect.poll(opened).toBe(0);
    expect(await store.query(toDirection('x'), 5)).toEqual([]);
  });

  it.each(['silent', 'hung'])('to a server that is %s times out', async (user) => {
    const asked = open(component({ user }), { silence: 0.3 }).query(toDirection('x'), 5);
    await expect(asked).rejects.toMatchObject({ name: 'SinkError', retryable: true });
  });

  it('that the server closes gives a retryable error', async () => {
    const failure = { name: 'SinkError', retryable: true };
    await expect(open(component({ user: 'closing' })).ensure(8)).rejects.toMatchObject(failure);
    await expect(open(component({ port: 1 })).ensure(8)).rejects.toMatchObject(failure);
  });

  it.each(['127.0.0.1', 'localhost', '10.0.0.1', '169.254.169.254', '::1', '0x7f.1', 'database.internal'])(
    'to %s is rejected if private addresses are not allowed',
    async (host) => {
      const asked = open(component({ host }), { isPrivateAllowed: false }).query(toDirection('x'), 5);
      await expect(asked).rejects.toThrow(/not public/);
    },
  );

  it.each(['http://h', 'h:5432', 'h/x', 'u@h', '/var/run', 'a b', ''])(
    'rejects the host %j',
    async (host) => {
      await expect(check(component({ host }))).rejects.toMatchObject({
        issues: [{ loc: ['body', 'component', 'host'] }],
      });
    },
  );
});

describe('check', () => {
  const naming = (name: string) => ({ issues: [{ loc: ['body', 'component', name] }] });

  it('passes with and without a table', async () => {
    const given = component({ hnsw_settings: {} });
    await check(given);
    await open(given).ensure(8);
    await check({ ...given, perform_setup: false }, undefined, 8);
    await expect(check(given, undefined, 16)).rejects.toMatchObject(naming('embed_dim'));
  });

  it.each<[string, object]>([
    ['password', { user: 'error 28P01' }],
    ['user', { user: 'error 28000' }],
    ['database', { user: 'error 3D000' }],
    ['perform_setup', { user: 'error 42501' }],
    ['perform_setup', { user: 'error 58P01' }],
    ['table_name', { perform_setup: false }],
    ['table_name', { table_name: 'x'.repeat(64) }],
    ['table_name', { table_name: 'a\0b' }],
    ['schema_name', { schema_name: '' }],
    ['port', { port: 70_000 }],
    ['embed_dim', { embed_dim: 0 }],
    ['hnsw_settings', { hnsw_settings: { m: 1 } }],
    ['hnsw_settings', { hnsw_settings: { m: 50 } }],
    ['hnsw_settings', { hnsw_settings: { distance_method: 'hamming' } }],
    ['hnsw_settings', { hnsw_settings: { vector_type: 'bit', distance_method: 'l2' } }],
    ['hnsw_settings', { embed_dim: 2_001, hnsw_settings: {} }],
    ['hnsw_settings', { embed_dim: 4_001, hnsw_settings: { vector_type: 'half_vec' } }],
    ['hnsw_settings', { embed_dim: 1_001, hnsw_settings: { vector_type: 'sparse_vec' } }],
  ])('names %s: %j', async (name, changes) => {
    await expect(check(component(changes))).rejects.toMatchObject(naming(name));
  });

  it.each(['53300', '57P03', 'XX000'])('is retryable if the server answers %s', async (code) => {
    await expect(check(component({ user: `error ${code}` }))).rejects.toMatchObject({
      name: 'SinkError',
      retryable: true,
    });
  });

  it('does not reveal the password', async () => {
    const failure = await check(component({ user: `error 28P01 ${PASSWORD}` })).catch(
      (error: unknown) => error,
    );
    expect(JSON.stringify(failure)).toContain('refused for');
    expect(JSON.stringify(failure)).not.toContain(PASSWORD);
    expect(String((failure as Error).stack)).not.toContain(PASSWORD);
  });
});
