import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { pipelineMembers } from '#src/db/schema/index.ts';
import { call } from '#test/support/client.ts';
import { createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Chunk {
  id_: string;
  text: string;
  enabled: boolean;
  extra_info: Record<string, unknown>;
  chunk_metadata: Record<string, unknown>;
}

const PAGES = ['Lighthouses warn ships of rocks.', 'Quays are built of granite.', 'Ropes are made of hemp.'];
/** One chunk a page. */
const transform_config = {
  mode: 'advanced',
  segmentation_config: { mode: 'page' },
  chunking_config: { mode: 'none' },
};
const EVERYTHING = { dense_similarity_top_k: 10, sparse_similarity_top_k: 10, enable_reranking: false };
const METADATA = { kind: 'manual', author: { name: 'Ada' } };

async function indexed() {
  const id = await createPipeline({ transform_config });
  const path = `/api/v1/pipelines/${id}`;
  const put = async (texts: string[], metadata: object = METADATA) => {
    const page_positions = texts.map((_, page) => texts.slice(0, page).join('').length);
    const body = [{ id: 'manual', text: texts.join(''), metadata, page_positions }];
    expect((await call('PUT', `${path}/documents`, { body })).status).toBe(200);
    await sync(id);
  };
  await put(PAGES);
  const list = async (of = id) =>
    (await call<Chunk[]>('GET', `/api/v1/pipelines/${of}/documents/manual/chunks`)).body;
  const find = async (words: string) => (await list()).find(({ text }) => text.includes(words))!;
  const set = (node: string, body: object, key?: string) =>
    call<Chunk>('PATCH', `${path}/nodes/${node}`, { body, ...(key && { key }) });
  const found = async (key: string, value: unknown, more: object = {}) => {
    const search_filters = { filters: [{ key, value, operator: '==' }] };
    const nodes = await retrieve(id, 'granite quays, hemp ropes, rocks', {
      ...EVERYTHING,
      search_filters,
      ...more,
    });
    return nodes.map(({ node }) => node.text).sort();
  };
  return { id, path, put, list, find, set, found };
}

it('merges metadata over that of the document, in filters and in what retrieval returns, at once', async () => {
  const { id, path, find, set, found, list } = await indexed();
  const { id_ } = await find('granite');
  const changed = await set(id_, { metadata: { kind: 'rule', author: { age: 36 }, tags: ['stone', 7] } });
  expect(changed.status).toBe(200);
  expect(changed.body.chunk_metadata).toEqual({ kind: 'rule', 'author.age': 36, tags: ['stone', 7] });
  const merged = { kind: 'rule', 'author.name': 'Ada', 'author.age': 36, tags: ['stone', 7] };
  expect(changed.body.extra_info).toMatchObject({ ...merged, page_label: 2, document_id: 'manual' });
  for (const alpha of [0, 0.5, 1]) {
    expect(await found('kind', 'rule', { alpha })).toEqual([PAGES[1]]);
    expect(await found('kind', 'manual', { alpha })).toEqual([PAGES[0], PAGES[2]]);
    expect(await found('author.age', 36, { alpha })).toEqual([PAGES[1]]);
    expect(await found('tags', 'stone', { alpha })).toEqual([PAGES[1]]);
    expect(await found('author.name', 'Ada', { alpha })).toEqual([...PAGES].sort());
    expect(await found('page_label', 2, { alpha })).toEqual([PAGES[1]]);
  }
  const [best] = await retrieve(id, 'quays of granite', EVERYTHING);
  expect(best?.node.extra_info).toMatchObject(merged);
  // A whole file shows the metadata of its document.
  const [whole] = await retrieve(id, 'rocks', {
    retrieval_mode: 'files_via_content',
    enable_reranking: false,
  });
  expect(whole?.node.extra_info).toMatchObject({ kind: 'manual' });
  expect((await list()).map(({ chunk_metadata }) => Object.keys(chunk_metadata).length)).toEqual([0, 3, 0]);
  const keys = await call<{ keys: { name: string; values: unknown[]; count: number }[] }>(
    'GET',
    `${path}/metadata-keys`,
  );
  expect(keys.body.keys).toContainEqual(
    expect.objectContaining({ name: 'kind', count: 1, values: ['manual', 'rule'] }),
  );
});

it('removes keys that are null, and gives the values of the document back', async () => {
  const { find, set, found } = await indexed();
  const { id_ } = await find('granite');
  await set(id_, { metadata: { kind: 'rule', note: 'x' } });
  const after = await set(id_, { metadata: { kind: null, unknown: null } });
  expect(after.body.chunk_metadata).toEqual({ note: 'x' });
  expect(after.body.extra_info).toMatchObject({ kind: 'manual', note: 'x' });
  expect(await found('kind', 'manual')).toEqual([...PAGES].sort());
  expect((await set(id_, { metadata: { note: null } })).body.chunk_metadata).toEqual({});
  const rows = await openDatabase(env.DB).select().from(pipelineMembers);
  expect(
    rows.filter(({ chunkMetadata }) => chunkMetadata && Object.keys(chunkMetadata).length === 0),
  ).toEqual([]);
});

it('changes metadata and `enabled` in one request, and requires one of them', async () => {
  const { find, set } = await indexed();
  const { id_ } = await find('granite');
  const both = await set(id_, { enabled: false, metadata: { kind: 'rule' } });
  expect(both.body).toMatchObject({ enabled: false, chunk_metadata: { kind: 'rule' } });
  const enabled = await set(id_, { enabled: true });
  expect(enabled.body).toMatchObject({ enabled: true, chunk_metadata: { kind: 'rule' } });
  expect((await set(id_, {})).status).toBe(422);
});

it('rejects keys of the service and values that file metadata rejects', async () => {
  const { find, set, list } = await indexed();
  const { id_ } = await find('granite');
  for (const key of ['file_id', 'file_name', 'document_id', 'page_label', 'member_path']) {
    const refused = await set(id_, { metadata: { [key]: 'x' } });
    expect(refused, key).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'metadata', key] }] },
    });
  }
  for (const metadata of ['x', ['x'], 7, null]) expect((await set(id_, { metadata })).status).toBe(422);
  // The names of inherited properties are keys like any others, except for `__proto__`, which is ignored.
  const metadata = JSON.parse('{"__proto__": "a", "constructor": "b", "x.y": "c"}') as object;
  expect((await set(id_, { metadata })).status).toBe(200);
  const [chunk] = (await list()).filter((each) => each.id_ === id_);
  expect(Object.entries(chunk!.chunk_metadata)).toEqual(Object.entries(metadata).slice(1));
});

it('keeps metadata at a sync as long as the text of the chunk stays the same, and in copies', async () => {
  const { id, path, put, find, set, found, list } = await indexed();
  await set((await find('granite')).id_, { metadata: { kind: 'rule' } });
  await set((await find('hemp')).id_, { metadata: { kind: 'rule' }, enabled: false });
  // Other metadata of the document: the sync writes all chunks again.
  await put(PAGES, { ...METADATA, year: 2026 });
  expect(await found('kind', 'rule')).toEqual([PAGES[1]]);
  // A new page moves the others, and the last page has a new text.
  await put(['Anchors hold ships.', ...PAGES.slice(0, 2), 'Ropes are made of steel.']);
  expect((await list()).map(({ chunk_metadata }) => chunk_metadata)).toEqual([{}, {}, { kind: 'rule' }, {}]);
  expect(await found('kind', 'rule')).toEqual([PAGES[1]]);
  await put(PAGES);
  const copy = await call<{ id: string }>('POST', `${path}/copy`);
  await untilFinished(copy.body.id);
  const copied = (await list(copy.body.id)).map(({ chunk_metadata, enabled }) => [chunk_metadata, enabled]);
  expect(copied).toEqual([
    [{}, true],
    [{ kind: 'rule' }, true],
    [{ kind: 'rule' }, false],
  ]);
  expect(id).not.toBe(copy.body.id);
});

it('answers 404 to other tenants, and refuses too much metadata', async () => {
  const { find, set } = await indexed();
  const [first, second] = [await find('granite'), await find('hemp')];
  const { key } = await createTenant();
  expect((await set(first.id_, { metadata: { kind: 'rule' } }, key)).status).toBe(404);
  expect((await find('granite')).chunk_metadata).toEqual({});
  const text = 'ä'.repeat(65_000);
  expect((await set(first.id_, { metadata: { text } })).status).toBe(200);
  const refused = await set(second.id_, { metadata: { text: `${text}${text}` } });
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('256 KiB') } });
  expect((await set(second.id_, { metadata: { text: 'a'.repeat(600_000) } })).status).toBe(409);
  expect((await find('hemp')).chunk_metadata).toEqual({});
  expect((await set(first.id_, { metadata: { text: null } })).status).toBe(200);
  expect((await set(second.id_, { metadata: { text } })).status).toBe(200);
});
