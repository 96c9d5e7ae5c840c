import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

interface Key {
  name: string;
  types: string[];
  count: number;
  values: (string | number | boolean)[];
  values_complete: boolean;
  built_in: boolean;
}
interface Keys {
  keys: Key[];
  more_keys: number;
  sampled: number;
  total: number;
}

async function getKeys(pipelineId: string) {
  const answer = await call<Keys>('GET', `/api/v1/pipelines/${pipelineId}/metadata-keys`);
  expect(answer.status).toBe(200);
  return { ...answer.body, named: new Map(answer.body.keys.map((key) => [key.name, key])) };
}

async function put(pipelineId: string, ...metadata: object[]) {
  const body = metadata.map((each, at) => ({ id: `d${at}`, text: `Document ${at}.`, metadata: each }));
  expect((await call('PUT', `/api/v1/pipelines/${pipelineId}/documents`, { body })).status).toBe(200);
}

describe('the metadata keys of a pipeline', () => {
  it('include those of documents, with types, counts and values', async () => {
    const id = await createPipeline();
    expect(await getKeys(id)).toMatchObject({ keys: [], more_keys: 0, sampled: 0, total: 0 });
    await put(
      id,
      { year: 2024, isDraft: false, tags: ['a', 'b'], owner: { name: 'Ada' }, none: null, page_label: 'x' },
      { year: 2024, tags: ['b', 7], owner: { name: 'Bo' }, '': 'no filter can name it', tail: [] },
      { year: '2024', long: '𝄞'.repeat(101) },
    );
    const { keys, named, ...rest } = await getKeys(id);
    expect(rest).toEqual({ more_keys: 0, sampled: 3, total: 3 });
    const given = { values_complete: true, built_in: false };
    expect(keys.slice(0, 6)).toEqual([
      {
        name: 'year',
        types: expect.toSatisfy(hasSameElements('number', 'string')),
        count: 3,
        values: expect.toSatisfy(hasSameElements(2024, '2024')),
        ...given,
      },
      {
        name: 'owner.name',
        types: ['string'],
        count: 2,
        values: expect.toSatisfy(hasSameElements('Ada', 'Bo')),
        ...given,
      },
      {
        name: 'tags',
        types: ['list'],
        count: 2,
        values: expect.toSatisfy(hasSameElements('a', 'b', 7)),
        ...given,
      },
      { name: 'isDraft', types: ['boolean'], count: 1, values: [false], ...given },
      {
        name: 'long',
        types: ['string'],
        count: 1,
        values: ['𝄞'.repeat(100)],
        ...given,
        values_complete: false,
      },
      { name: 'tail', types: ['list'], count: 1, values: [], ...given },
    ]);
    expect(keys.slice(6).every((key) => key.built_in)).toBe(true);
    expect(named.get('document_id')).toMatchObject({ count: 3, values_complete: true });
    expect(named.get('page_label')).toMatchObject({ count: 1, types: ['string'], values: ['x'] });
  });

  it('include those of files, tables and data sources, with the most specific value', async () => {
    const id = await createPipeline();
    const [a, b] = await addFiles(id, { 'a.txt': 'Apples ripen in autumn.', 'b.txt': 'Barley is a cereal.' });
    await sync(id);
    const path = `/api/v1/pipelines/${id}`;
    await call('PUT', `${path}/files/${a}`, { body: { custom_metadata: { shelf: 'own', rank: 1 } } });
    const form = new FormData();
    form.set('upload_file', new File(['file_name,shelf\na.txt,table\nb.txt,table\n'], 'table.csv'));
    const table = new Request('https://any.example', { method: 'POST', body: form });
    const headers = { 'content-type': table.headers.get('content-type')! };
    const uploaded = await call('PUT', `${path}/metadata`, { headers, raw: await table.arrayBuffer() });
    expect(uploaded.status).toBe(200);
    const source = await call<{ id: string }>('POST', '/api/v1/data-sources', {
      body: {
        name: crypto.randomUUID(),
        source_type: 'SOURCE_8_PAGE',
        component: { note: 'a folder' },
        custom_metadata: { team: 'north', rank: 2 },
      },
    });
    await env.DB.prepare('update pipeline_members set data_source_id = ? where file_id in (?, ?)')
      .bind(source.body.id, a, b)
      .run();
    const { named } = await getKeys(id);
    expect(named.get('shelf')).toMatchObject({
      count: 2,
      values: expect.toSatisfy(hasSameElements('own', 'table')),
    });
    expect(named.get('rank')).toMatchObject({ count: 2, values: expect.toSatisfy(hasSameElements(1, 2)) });
    expect(named.get('team')).toMatchObject({ count: 2, values: ['north'], built_in: false });
    expect(named.get('data_source_id')).toMatchObject({ values: [source.body.id], built_in: true });
    expect(named.get('file_name')!.values.toSorted()).toEqual(['a.txt', 'b.txt']);
  });

  it('are exactly the keys of nodes, and filters match their values', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'a.txt': 'Apples ripen in autumn.' });
    await put(id, { shelf: 'b', isDraft: true, owner: { name: 'Ada' }, file_name: 'quoted' });
    await sync(id);
    const { keys } = await getKeys(id);
    const nodes = await retrieve(id, 'apples document');
    expect(nodes).toHaveLength(2);
    const ofNodes = new Set(nodes.flatMap(({ node }) => Object.keys(node.extra_info)));
    expect(keys.map(({ name }) => name).toSorted()).toEqual([...ofNodes].toSorted());
    expect(keys.length).toBeGreaterThan(8);
    for (const { name, count, values } of keys) {
      const has = nodes.filter(({ node }) => name in node.extra_info);
      expect(has, name).toHaveLength(count);
      for (const each of values) {
        const value = typeof each === 'boolean' ? String(each) : each;
        const search_filters = { filters: [{ key: name, operator: '==', value }] };
        expect(await retrieve(id, 'apples document', { search_filters }), name).not.toEqual([]);
      }
    }
  });

  it('of a playground are those of its managed pipeline', async () => {
    const managed = await createPipeline();
    await put(managed, { shelf: 'b' });
    const body = { pipeline_type: 'PLAYGROUND', managed_pipeline_id: managed };
    const id = await createPipeline(body);
    expect(await getKeys(id)).toEqual(await getKeys(managed));
    expect((await getKeys(id)).named.has('shelf')).toBe(true);
    await call('POST', `/api/v1/pipelines/${managed}/force-delete`);
    expect((await call('GET', `/api/v1/pipelines/${id}/metadata-keys`)).status).toBe(409);
  });
});

describe('the limits of metadata keys', () => {
  it('keep the two hundred most frequent keys, with ten values each', async () => {
    const id = await createPipeline();
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`key ${at}`, at]));
    const documents = Array.from({ length: 12 }, (_, at) => ({ common: at, few: at % 10 }));
    await put(id, { ...many, ['n'.repeat(257)]: 1, ['m'.repeat(256)]: 1 }, ...documents);
    const { keys, named, more_keys } = await getKeys(id);
    expect(keys.filter((key) => !key.built_in)).toHaveLength(200);
    expect(more_keys).toBe(250 + 2 + 1 + 1 - 200);
    expect(named.get('common')).toMatchObject({ count: 12, values_complete: false });
    expect(named.get('common')!.values).toHaveLength(10);
    expect(named.get('few')).toMatchObject({
      values: expect.toSatisfy(hasSameElements(...Array(10).keys())),
      values_complete: true,
    });
    expect(named.has('document_id')).toBe(true);
  });

  it('restrict the sample to the newest two thousand members and a number of bytes', async () => {
    const id = await createPipeline();
    const add = (from: number, to: number, metadata: string) =>
      env.DB.prepare(
        `with recursive n(i) as (select ?2 union all select i + 1 from n where i < ?3)
         insert into pipeline_members (id, pipeline_id, kind, document_id, created_at, content_hash, text_id,
           metadata, excluded_embed_metadata_keys, excluded_llm_metadata_keys)
         select ?1 || i, ?1, 'text', i, i, 'x', i, ${metadata}, '[]', '[]' from n`,
      )
        .bind(id, from, to)
        .run();
    await add(1, 2500, `json_object('number', i)`);
    const first = await getKeys(id);
    expect(first).toMatchObject({ sampled: 2000, total: 2500 });
    expect(first.named.get('number')!.count).toBe(2000);
    expect(Math.min(...(first.named.get('document_id')!.values as string[]).map(Number))).toBeGreaterThan(
      500,
    );
    await add(2501, 2505, `json_object('large', hex(zeroblob(700000)))`);
    const { sampled, named, total } = await getKeys(id);
    expect({ sampled, total }).toEqual({ sampled: 2, total: 2505 });
    expect(named.get('large')).toMatchObject({ count: 2, values: ['0'.repeat(100)], values_complete: false });
    expect(named.has('number')).toBe(false);
    await add(2506, 2506, `json_object('larger', hex(zeroblob(990000)))`);
    expect((await getKeys(id)).named.get('larger')).toMatchObject({ count: 1 });
  });
});

/** Compares values without their order, because documents created at the same time have no fixed order. */
const hasSameElements =
  (...expected: unknown[]) =>
  (values: unknown[]) =>
    values.length === expected.length && expected.every((each) => values.includes(each));
