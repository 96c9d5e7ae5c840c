import type OpenAI from 'openai';
import { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';
import { createClient } from './client.ts';

const openai = createClient();
const POLL = { pollIntervalMs: 50 };
const encode = (text: string) => new TextEncoder().encode(text);
const upload = async (name: string, content: string, client: OpenAI = openai) =>
  (await client.files.create({ file: await toFile(encode(content), name), purpose: 'assistants' })).id;

async function collect<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

describe('a vector store', () => {
  it('indexes the files of its creation, and answers searches with their attributes', async () => {
    const fileId = await upload('corran.txt', 'The Corran bridge was opened in 1893.');
    const store = await openai.vectorStores.create({
      name: 'Bridges',
      file_ids: [fileId],
      metadata: { team: 'roads' },
      chunking_strategy: {
        type: 'static',
        static: { max_chunk_size_tokens: 400, chunk_overlap_tokens: 100 },
      },
    });
    expect(store).toMatchObject({ object: 'vector_store', name: 'Bridges', metadata: { team: 'roads' } });
    expect(store.file_counts.total).toBe(1);
    const file = await openai.vectorStores.files.poll(store.id, fileId, POLL);
    expect(file).toMatchObject({
      status: 'completed',
      last_error: null,
      usage_bytes: 37,
      vector_store_id: store.id,
      chunking_strategy: {
        type: 'static',
        static: { max_chunk_size_tokens: 400, chunk_overlap_tokens: 100 },
      },
    });
    const read = await openai.vectorStores.retrieve(store.id);
    expect(read).toMatchObject({
      status: 'completed',
      usage_bytes: 37,
      file_counts: { completed: 1, in_progress: 0, failed: 0, cancelled: 0, total: 1 },
    });
    const second = await openai.vectorStores.files.uploadAndPoll(
      store.id,
      await toFile(encode('Oban has a ferry to Mull.'), 'oban.txt'),
      POLL,
    );
    expect(second.status).toBe('completed');
    const changed = await openai.vectorStores.files.update(second.id, {
      vector_store_id: store.id,
      attributes: { kind: 'ferry', year: 1964, open: true },
    });
    expect(changed.attributes).toEqual({ kind: 'ferry', year: 1964, open: true });
    await openai.vectorStores.files.poll(store.id, second.id, POLL);

    const found = await openai.vectorStores.search(store.id, { query: 'When was the bridge opened?' });
    expect(found.data[0]).toMatchObject({
      file_id: fileId,
      filename: 'corran.txt',
      content: [{ type: 'text', text: expect.stringContaining('1893') }],
    });
    const both = await openai.vectorStores.search(store.id, { query: ['Corran bridge', 'ferry to Mull'] });
    expect(both.data.map(({ file_id }) => file_id).sort()).toEqual([fileId, second.id].sort());
    const text = await collect(openai.vectorStores.files.content(second.id, { vector_store_id: store.id }));
    expect(text.map((part) => part.text).join('')).toContain('Oban has a ferry');
    expect(await openai.vectorStores.files.delete(second.id, { vector_store_id: store.id })).toEqual({
      id: second.id,
      object: 'vector_store.file.deleted',
      deleted: true,
    });
    const left = await openai.vectorStores.search(store.id, { query: 'ferry to Mull' });
    expect(left.data.map(({ file_id }) => file_id)).not.toContain(second.id);
  });

  it('filters a search by attributes', async () => {
    const store = await openai.vectorStores.create({});
    const texts = { old: 'A red boat.', middle: 'A green boat.', young: 'A blue boat.' };
    const years = { old: 1900, middle: 1950, young: 2000 };
    const files: { file_id: string; attributes: Record<string, string | number | boolean> }[] = [];
    for (const [name, content] of Object.entries(texts)) {
      const file_id = await upload(`${name}.txt`, content);
      const attributes = { name, year: years[name as keyof typeof years], sails: name !== 'old' };
      files.push({ file_id, attributes });
    }
    const batch = await openai.vectorStores.fileBatches.createAndPoll(store.id, { files }, POLL);
    expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 3, total: 3 } });
    const search = async (filters: OpenAI.VectorStoreSearchParams['filters']) => {
      const { data } = await openai.vectorStores.search(store.id, { query: 'boat', filters: filters! });
      return data.map(({ attributes }) => attributes!.name).sort();
    };
    expect(await search({ type: 'eq', key: 'name', value: 'old' })).toEqual(['old']);
    expect(await search({ type: 'ne', key: 'name', value: 'old' })).toEqual(['middle', 'young']);
    expect(await search({ type: 'gte', key: 'year', value: 1950 })).toEqual(['middle', 'young']);
    expect(await search({ type: 'gt', key: 'year', value: 1950 })).toEqual(['young']);
    expect(await search({ type: 'lte', key: 'year', value: 1950 })).toEqual(['middle', 'old']);
    expect(await search({ type: 'lt', key: 'year', value: 1950 })).toEqual(['old']);
    expect(await search({ type: 'in', key: 'name', value: ['old', 'young'] })).toEqual(['old', 'young']);
    expect(await search({ type: 'nin', key: 'name', value: ['old', 'young'] })).toEqual(['middle']);
    expect(await search({ type: 'eq', key: 'sails', value: true })).toEqual(['middle', 'young']);
    const middle = { type: 'eq' as const, key: 'name', value: 'middle' };
    const young = { type: 'eq' as const, key: 'year', value: 2000 };
    expect(await search({ type: 'or', filters: [middle, young] })).toEqual(['middle', 'young']);
    expect(await search({ type: 'and', filters: [middle, young] })).toEqual([]);
    const { data } = await openai.vectorStores.search(store.id, {
      query: 'boat',
      max_num_results: 2,
      ranking_options: { ranker: 'none' },
    });
    expect(data).toHaveLength(2);
    const strict = { query: 'boat', ranking_options: { score_threshold: 1 } };
    for (const { score } of (await openai.vectorStores.search(store.id, strict)).data) expect(score).toBe(1);
  });

  it('takes batches of uploads, lists their files in pages and cancels what is not indexed', async () => {
    const store = await openai.vectorStores.create({ name: 'Batches' });
    const uploads = await Promise.all(
      ['one', 'two', 'three'].map((name) => toFile(encode(name), `${name}.txt`)),
    );
    const known = await upload('four.txt', 'four');
    const batch = await openai.vectorStores.fileBatches.uploadAndPoll(
      store.id,
      { files: uploads, fileIds: [known] },
      POLL,
    );
    expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 4, total: 4 } });
    const within = { vector_store_id: store.id };
    const listed = await collect(
      openai.vectorStores.fileBatches.listFiles(batch.id, { ...within, limit: 3, order: 'asc' }),
    );
    expect(listed).toHaveLength(4);
    const all = await collect(openai.vectorStores.files.list(store.id, { limit: 1 }));
    expect(all.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toReversed());
    const before = await openai.vectorStores.files.list(store.id, { limit: 2, before: all[3]!.id });
    expect(before.data.map(({ id }) => id)).toEqual([all[1]!.id, all[2]!.id]);
    expect((await openai.vectorStores.files.list(store.id, { filter: 'failed' })).data).toEqual([]);
    // A batch that is complete stays as it is.
    expect(await openai.vectorStores.fileBatches.cancel(batch.id, within)).toEqual(batch);

    const late = await upload('late.txt', 'late');
    const begun = await openai.vectorStores.fileBatches.create(store.id, { file_ids: [late, known] });
    const stopped = await openai.vectorStores.fileBatches.cancel(begun.id, within);
    expect(stopped).toMatchObject({ status: 'cancelled', file_counts: { cancelled: 1, total: 2 } });
    await expect(openai.vectorStores.files.retrieve(late, within)).rejects.toMatchObject({ status: 404 });
    expect((await openai.vectorStores.files.retrieve(known, within)).status).toBe('completed');
  });

  it('is listed, changed and deleted', async () => {
    const first = await openai.vectorStores.create({ name: 'Twice' });
    const second = await openai.vectorStores.create({ name: 'Twice', metadata: { a: 'b' } });
    expect(second.name).toMatch(/^Twice \([0-9a-f]{8}\)$/);
    const ids = (await collect(openai.vectorStores.list({ limit: 1 }))).map(({ id }) => id);
    expect(ids.indexOf(first.id)).toBeGreaterThan(ids.indexOf(second.id));
    const changed = await openai.vectorStores.update(second.id, { name: 'Once', metadata: null });
    expect(changed).toMatchObject({ name: 'Once', metadata: {} });
    await expect(openai.vectorStores.update(second.id, { name: 'Twice' })).rejects.toMatchObject({
      status: 409,
    });
    expect(await openai.vectorStores.delete(second.id)).toEqual({
      id: second.id,
      object: 'vector_store.deleted',
      deleted: true,
    });
    await expect(openai.vectorStores.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
    expect((await collect(openai.vectorStores.list())).map(({ id }) => id)).not.toContain(second.id);
  });

  it('refuses what it cannot do, and names the field', async () => {
    const refused = { status: 400, type: 'invalid_request_error' };
    const expires = { anchor: 'last_active_at' as const, days: 1 };
    await expect(openai.vectorStores.create({ expires_after: expires })).rejects.toMatchObject({
      ...refused,
      param: 'expires_after',
      message: expect.stringContaining('do not expire'),
    });
    const store = await openai.vectorStores.create({});
    const file_id = await upload('x.txt', 'x');
    const other = { max_chunk_size_tokens: 300, chunk_overlap_tokens: 10 };
    const chunked = { file_id, chunking_strategy: { type: 'static' as const, static: other } };
    await expect(openai.vectorStores.files.create(store.id, chunked)).rejects.toMatchObject({
      ...refused,
      param: 'chunking_strategy',
    });
    await expect(
      openai.vectorStores.search(store.id, {
        query: 'x',
        filters: { type: 'in', key: 'a', value: ['b', 1] },
      }),
    ).rejects.toMatchObject({ ...refused, param: 'filters.value' });
    await expect(openai.vectorStores.fileBatches.create(store.id, {})).rejects.toMatchObject(refused);
    const unknown = openai.vectorStores.files.create(store.id, { file_id: crypto.randomUUID() });
    await expect(unknown).rejects.toMatchObject({ status: 404 });
  });

  it('is invisible to another organization, whose files it does not take', async () => {
    const stranger = createClient({}, (await createTenant()).key);
    const store = await openai.vectorStores.create({});
    const own = await upload('own.txt', 'own');
    await openai.vectorStores.files.createAndPoll(store.id, { file_id: own }, POLL);
    const within = { vector_store_id: store.id };
    const missing = { status: 404 };
    await expect(stranger.vectorStores.retrieve(store.id)).rejects.toMatchObject(missing);
    await expect(stranger.vectorStores.search(store.id, { query: 'own' })).rejects.toMatchObject(missing);
    await expect(stranger.vectorStores.delete(store.id)).rejects.toMatchObject(missing);
    await expect(stranger.vectorStores.files.retrieve(own, within)).rejects.toMatchObject(missing);
    await expect(stranger.files.content(own)).rejects.toMatchObject(missing);
    const theirs = await stranger.vectorStores.create({});
    await expect(stranger.vectorStores.files.create(theirs.id, { file_id: own })).rejects.toMatchObject(
      missing,
    );
    await expect(stranger.vectorStores.create({ file_ids: [own] })).rejects.toMatchObject(missing);
    const answer = await call('GET', `/openai/v1/vector_stores/${store.id}/file_batches/${own}`);
    expect(answer.status).toBe(404);
  });
});
