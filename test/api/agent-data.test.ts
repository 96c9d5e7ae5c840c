import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { MAX_COLLECTION_ITEMS, MAX_COLLECTIONS } from '#src/services/agent-data/input.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Item {
  id: string;
  data: Record<string, unknown>;
}
interface Page<Each = Item> {
  items: Each[];
  next_page_token: string | null;
  total_size: number | null;
}

const PATH = '/api/v1/beta/agent-data';
const place = { deployment_name: 'shop', collection: 'orders' };

/** Creates a project of its own with one item per object. */
async function withItems(...items: object[]) {
  const { key, projectId } = await createTenant();
  const create = (data: object, at: object = place) =>
    call<Item>('POST', PATH, { key, body: { ...at, data } });
  const ids: string[] = [];
  for (const data of items) ids.push((await create(data)).body.id);
  const post = <Body>(action: string, body: object) =>
    call<Body>('POST', `${PATH}/${action}`, { key, body: { ...place, ...body } });
  return {
    key,
    projectId,
    ids,
    create,
    post,
    /** Returns the `n` of the items that a filter selects, in ascending order. */
    find: async (filter: object) => {
      const answer = await post<Page>('search', { filter, order_by: 'n' });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body.items.map(({ data }) => data.n);
    },
    collections: async () =>
      (await call<{ items: object[] }>('GET', `${PATH}/collections`, { key })).body.items,
  };
}

const VALUES = [
  { n: 1, value: 5 },
  { n: 2, value: '5' },
  { n: 3, value: true },
  { n: 4, value: null },
  { n: 5 },
  { n: 6, value: 7.5 },
  { n: 7, value: ['5', 5, true] },
  { n: 8, value: { deep: { er: 'x', created_at: 'mine' } } },
  { n: 9, value: 'straße' },
];

describe('filters of agent data', () => {
  it.each([
    [{ eq: 5 }, [1]],
    [{ eq: '5' }, [2]],
    [{ eq: true }, [3]],
    [{ eq: null }, [4, 5]],
    [{ ne: 5 }, [2, 3, 4, 5, 6, 7, 8, 9]],
    [{ ne: null }, [1, 2, 3, 6, 7, 8, 9]],
    [{ gt: 5 }, [6]],
    [{ gte: 5, lt: 7.5 }, [1]],
    [{ lte: 7.5 }, [1, 6]],
    [{ gt: '5' }, [9]],
    [{ includes: [5, 'straße'] }, [1, 7, 9]],
    [{ includes: ['5'] }, [2, 7]],
    [{ includes: [true] }, [3, 7]],
    [{ includes: [1] }, []],
    [{ includes: [null] }, [4, 5]],
    [{ includes: ['x'] }, []],
    [{ includes: [] }, []],
    [{ excludes: [5, null, true] }, [2, 6, 8, 9]],
  ])('compare by type: %j', async (comparison, expected) => {
    const { find } = await shared();
    expect(await find({ value: comparison })).toEqual(expected);
  });

  it('reach nested members, and times of the item', async () => {
    const { find } = await shared();
    expect(await find({ 'value.deep.er': { eq: 'x' } })).toEqual([8]);
    expect(await find({ 'data.value.deep.created_at': { eq: 'mine' }, n: { gt: 2 } })).toEqual([8]);
    expect(await find({ created_at: { lt: '2020-01-01T00:00:00Z' } })).toEqual([]);
    expect(await find({ created_at: { gt: '2020-01-01T00:00:00Z' }, n: { lte: 2 } })).toEqual([1, 2]);
    // Quotes and SQL in names and values are only text.
    expect(await find({ "x'); drop table agent_data; --": { eq: "' or 1=1 --" } })).toEqual([]);
  });

  it.each([
    [{ value: { like: '5' } }, ['body', 'filter', 'value', 'like']],
    [{ value: {} }, ['body', 'filter', 'value']],
    [{ value: { gt: null } }, ['body', 'filter', 'value', 'gt']],
    [{ 'a..b': { eq: 1 } }, ['body', 'filter', 'a..b']],
    [{ 'a"b': { eq: 1 } }, ['body', 'filter', 'a"b']],
    [{ 'a\\': { eq: 1 } }, ['body', 'filter', 'a\\']],
    [{ 'a\u0000b': { eq: 1 } }, ['body', 'filter', 'a\u0000b']],
    [{ created_at: { gt: 'yesterday' } }, ['body', 'filter', 'created_at', 'gt']],
    [Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`f${n}`, { eq: n }])), ['body', 'filter']],
  ])('are refused if they are invalid: %j', async (filter, loc) => {
    const { post } = await shared();
    for (const action of ['search', 'aggregate', 'delete']) {
      const answer = await post<{ detail: { loc: unknown[] }[] }>(action, { filter });
      expect(answer.status).toBe(422);
      expect(answer.body.detail[0]?.loc.slice(0, 3)).toEqual(loc.slice(0, 3));
    }
  });
});

it('filters, sorts and groups with as many comparisons and fields as allowed', async () => {
  const { post } = await shared();
  const comparisons = Array.from({ length: 14 }, (_, n) => [`f${n}`, { includes: [null, 'x'] }]);
  const times = Array.from({ length: 100 }, (_, n) => new Date(n).toISOString());
  const filter = { ...Object.fromEntries(comparisons), created_at: { excludes: times } };
  const fields = ['n', 'value', 'a', 'b'];
  const found = await post<Page>('search', { filter, order_by: fields.join(','), include_total: true });
  expect(found.body).toMatchObject({ total_size: VALUES.length });
  const grouped = await post<{ items: unknown[] }>('aggregate', {
    filter,
    group_by: fields,
    order_by: fields.join(','),
  });
  expect(grouped.body.items).toHaveLength(VALUES.length);
  expect((await post<Page>('search', { filter: { created_at: { includes: times } } })).body.items).toEqual(
    [],
  );
});

let tenant: ReturnType<typeof withItems> | undefined;
const shared = () => (tenant ??= withItems(...VALUES));

describe('agent data', () => {
  it('is listed newest first, in pages that new items do not shift', async () => {
    const { post, create } = await withItems({ n: 1 }, { n: 2 }, { n: 3 });
    const first = (await post<Page>('search', { page_size: 2, include_total: true })).body;
    expect(first.items.map(({ data }) => data.n)).toEqual([3, 2]);
    expect(first.total_size).toBe(3);
    await create({ n: 4 });
    const second = (await post<Page>('search', { page_size: 2, page_token: first.next_page_token })).body;
    expect(second.items.map(({ data }) => data.n)).toEqual([1]);
    expect(second).toMatchObject({ next_page_token: null, total_size: null });
    expect((await post<Page>('search', { offset: 3 })).body.items.map(({ data }) => data.n)).toEqual([1]);
    expect((await post('search', { page_token: 'x' })).status).toBe(422);
  });

  it('is sorted by several fields', async () => {
    const { post } = await withItems({ a: 1, b: 'x' }, { a: 2, b: 'x' }, { a: 3, b: 'w' });
    const sort = async (order_by: string) =>
      (await post<Page>('search', { order_by })).body.items.map(({ data }) => data.a);
    expect(await sort('b, a desc')).toEqual([3, 2, 1]);
    expect(await sort('created_at')).toEqual([1, 2, 3]);
    for (const order_by of ['a up', 'a desc desc', 'a,b,c,d,e']) {
      expect((await post('search', { order_by })).status).toBe(422);
    }
  });

  it('is grouped and counted', async () => {
    const { post } = await withItems(
      { a: 'x', b: 1 },
      { a: 'y' },
      { a: 'x', b: null },
      { b: 1 },
      { a: 'x', b: 1 },
    );
    const group = async (body: object) => (await post<Page<object>>('aggregate', body)).body.items;
    expect(await group({ group_by: ['a'], count: true, order_by: 'count desc, a' })).toEqual([
      { group_key: { a: 'x' }, count: 3, first_item: null },
      { group_key: { a: null }, count: 1, first_item: null },
      { group_key: { a: 'y' }, count: 1, first_item: null },
    ]);
    expect(await group({ group_by: ['a', 'b'], first: true, filter: { a: { eq: 'x' } } })).toEqual([
      { group_key: { a: 'x', b: null }, count: null, first_item: { a: 'x', b: null } },
      { group_key: { a: 'x', b: 1 }, count: null, first_item: { a: 'x', b: 1 } },
    ]);
    expect(await group({ count: true, filter: { a: { eq: 'z' } } })).toEqual([
      { group_key: {}, count: 0, first_item: null },
    ]);
    for (const body of [{ group_by: ['created_at'] }, { group_by: ['a'], order_by: 'b' }]) {
      expect((await post('aggregate', body)).status).toBe(422);
    }
  });

  it('has limits for the size and the nesting of an item', async () => {
    const { create } = await withItems();
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    for (const data of [{ a: 'x'.repeat(256 * 1024) }, deep(100)]) {
      expect((await create(data)).status).toBe(422);
    }
    expect((await create(deep(99))).status).toBe(200);
    expect((await create({}, { ...place, deployment_name: '' })).status).toBe(422);
  });

  it('has limits for collections, of which concurrent requests exceed none', async () => {
    const { projectId, create, collections, post } = await withItems({ n: 1 });
    const setCount = (column: string, value: number) =>
      env.DB.prepare(`update agent_collections set ${column} = ? where project_id = ?`)
        .bind(value, projectId)
        .run();
    await setCount('item_count', MAX_COLLECTION_ITEMS - 2);
    const answers = await Promise.all([2, 3, 4, 5].map((n) => create({ n })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
    // Deletions count the items again.
    await post('delete', { filter: { n: { eq: 1 } } });
    expect(await collections()).toMatchObject([{ item_count: 2, character_count: 14 }]);

    await setCount('character_count', 32 * 1024 * 1024 - 8);
    expect((await create({ n: 10 })).status).toBe(200);
    expect((await create({ n: 11 })).status).toBe(409);
    await post('delete', {});
    expect(await collections()).toEqual([]);

    const rows = Array.from({ length: MAX_COLLECTIONS }, (_, n) =>
      env.DB.prepare("insert into agent_collections values (?, 'other', ?, 1, 1)").bind(projectId, `c${n}`),
    );
    await env.DB.batch(rows);
    expect(await create({ n: 1 })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('200') },
    });
    expect(await collections()).toHaveLength(MAX_COLLECTIONS);
  });

  it('counts changed items, and refuses a change that does not fit', async () => {
    const { key, projectId, ids, collections } = await withItems({ n: 1 });
    const update = (data: object) => call('PUT', `${PATH}/${ids[0]}`, { key, body: { data } });
    expect((await update({ n: 1000 })).status).toBe(200);
    expect(await collections()).toMatchObject([{ item_count: 1, character_count: 10 }]);
    await env.DB.prepare('update agent_collections set character_count = ? where project_id = ?')
      .bind(32 * 1024 * 1024, projectId)
      .run();
    expect((await update({ n: 10_000 })).status).toBe(409);
    expect((await update({ n: 2 })).status).toBe(200);
    expect(await collections()).toMatchObject([{ item_count: 1, character_count: 7 }]);
  });

  it('belongs to one collection of one project', async () => {
    const { create, post, key, ids } = await withItems({ n: 1 });
    await create({ n: 2 }, { ...place, collection: 'other' });
    await create({ n: 3 }, { deployment_name: 'elsewhere' });
    const stranger = await withItems({ n: 4 });
    for (const method of ['GET', 'DELETE']) {
      expect((await call(method, `${PATH}/${ids[0]}`, { key: stranger.key })).status).toBe(404);
    }
    expect((await stranger.post('delete', {})).body).toEqual({ deleted_count: 1 });
    expect((await post<Page>('search', {})).body.items.map(({ data }) => data.n)).toEqual([1]);
    const left = (await call<Page>('POST', `${PATH}/search`, { key, body: { deployment_name: 'elsewhere' } }))
      .body;
    expect(left.items).toMatchObject([{ data: { n: 3 }, collection: 'default' }]);
  });
});
