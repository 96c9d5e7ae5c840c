import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { pipelineMembers } from '#src/db/schema/index.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Chunk {
  id_: string;
  text: string;
  enabled: boolean;
}

const PAGES = ['Lighthouses warn ships of rocks.', 'Quays are built of granite.', 'Ropes are made of hemp.'];
const buildManual = (pages = PAGES) =>
  buildPdf({ pages: pages.map((line) => ({ content: text(72, 720, line) })) });

/** One chunk a page. */
const transform_config = {
  mode: 'advanced',
  segmentation_config: { mode: 'page' },
  chunking_config: { mode: 'none' },
};
const EVERYTHING = { dense_similarity_top_k: 10, sparse_similarity_top_k: 10, enable_reranking: false };

async function indexed(files: Record<string, string | Uint8Array> = { 'manual.pdf': buildManual() }) {
  const id = await createPipeline({ transform_config });
  const [file] = await addFiles(id, files);
  await sync(id);
  const list = async () => (await call<Chunk[]>('GET', `/api/v1/pipelines/${id}/files/${file}/chunks`)).body;
  const find = async (words: string) => (await list()).find((chunk) => chunk.text.includes(words))!;
  const set = (node: string, enabled: boolean, key?: string) =>
    call<Chunk>('PATCH', `/api/v1/pipelines/${id}/nodes/${node}`, { body: { enabled }, ...(key && { key }) });
  const found = async (more: object = {}) =>
    (await retrieve(id, 'quays of granite, ropes of hemp, rocks', { ...EVERYTHING, ...more }))
      .map(({ node }) => node.text)
      .join('\n');
  return { id, file: file!, list, find, set, found };
}

it('hides a disabled chunk from every kind of retrieval at once, and shows it again', async () => {
  const { find, set, found, list } = await indexed();
  const { id_ } = await find('granite');
  const modes = [
    ...[0, 0.5, 1].map((alpha) => ({ retrieval_mode: 'chunks', alpha })),
    { retrieval_mode: 'files_via_content', files_top_k: 1 },
    { retrieval_mode: 'files_via_metadata', files_top_k: 1 },
  ];
  for (const mode of modes) expect(await found(mode), JSON.stringify(mode)).toContain('granite');
  expect((await set(id_, false)).body).toMatchObject({ id_, enabled: false });
  for (const mode of modes) {
    expect(await found(mode), JSON.stringify(mode)).not.toContain('granite');
    expect(await found(mode), JSON.stringify(mode)).toContain('hemp');
  }
  // With a filter, the shard evaluates other conditions first.
  const search_filters = { filters: [{ key: 'file_name', value: 'manual.pdf', operator: '==' }] };
  expect(await found({ search_filters })).not.toContain('granite');
  expect((await list()).map(({ enabled }) => enabled)).toEqual([true, false, true]);
  expect((await set(id_, true)).body.enabled).toBe(true);
  for (const mode of modes) expect(await found(mode), JSON.stringify(mode)).toContain('granite');
});

it.each(['What are quays built of?', 'Summarize this document'])(
  'hides a disabled chunk from a chat that asks: %s',
  async (content) => {
    const { id, find, set } = await indexed();
    const ask = async () => {
      const body = { messages: [{ role: 'user', content }] };
      return (await call<string>('POST', `/api/v1/pipelines/${id}/chat`, { body })).body;
    };
    expect(await ask()).toContain('granite');
    await set((await find('granite')).id_, false);
    const answer = await ask();
    expect(answer).toContain('[DONE]');
    expect(answer).not.toContain('granite');
  },
);

it('keeps the setting at a sync as long as the text of the chunk stays the same', async () => {
  const { id, find, set, found } = await indexed();
  await set((await find('granite')).id_, false);
  await set((await find('hemp')).id_, false);
  // Other metadata for embedding: the sync writes all chunks again.
  const changed = { metadata_config: { excluded_embed_metadata_keys: ['file_name'] } };
  expect((await call('PUT', `/api/v1/pipelines/${id}`, { body: changed })).status).toBe(200);
  await sync(id);
  const after = await found();
  expect(after).toContain('rocks');
  expect(after).not.toMatch(/granite|hemp/);
});

it('enables a chunk whose text changes, and no other one', async () => {
  const id = await createPipeline({ transform_config });
  const path = `/api/v1/pipelines/${id}`;
  const put = async (texts: string[]) => {
    const page_positions = texts.map((_, page) => texts.slice(0, page).join('').length);
    const body = [{ id: 'manual', text: texts.join(''), metadata: {}, page_positions }];
    expect((await call('PUT', `${path}/documents`, { body })).status).toBe(200);
    await sync(id);
  };
  const list = async () => (await call<Chunk[]>('GET', `${path}/documents/manual/chunks`)).body;
  await put(PAGES);
  const before = await list();
  for (const chunk of before.slice(1)) {
    expect((await call('PATCH', `${path}/nodes/${chunk.id_}`, { body: { enabled: false } })).status).toBe(
      200,
    );
  }
  // A new page moves the others, and the last page has a new text.
  await put(['Anchors hold ships.', ...PAGES.slice(0, 2), 'Ropes are made of steel.']);
  const after = await list();
  expect(after.map(({ id_ }) => id_)).not.toEqual(before.map(({ id_ }) => id_));
  expect(after.map(({ enabled }) => enabled)).toEqual([true, true, false, true]);
  const found = (await retrieve(id, 'granite quays, steel ropes', EVERYTHING)).map(({ node }) => node.text);
  expect(found.join()).toContain('steel');
  expect(found.join()).not.toContain('granite');
});

it('answers 404 to other tenants, and refuses too many disabled chunks', async () => {
  const { file, find, set, found } = await indexed();
  const [first, second] = [await find('granite'), await find('hemp')];
  const { key } = await createTenant();
  expect((await set(first.id_, false, key)).status).toBe(404);
  expect(await found()).toContain('granite');
  const full = Array.from({ length: 999 }, (_, n) => String(n).padStart(64, '0'));
  await openDatabase(env.DB)
    .update(pipelineMembers)
    .set({ disabledChunks: full })
    .where(eq(pipelineMembers.fileId, file));
  expect((await set(first.id_, false)).status).toBe(200);
  // The same chunk again changes nothing, and another one is one too many.
  expect((await set(first.id_, false)).status).toBe(200);
  const refused = await set(second.id_, false);
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('1000') } });
  expect(await found()).toContain('hemp');
  expect((await set(first.id_, true)).status).toBe(200);
  expect((await set(second.id_, false)).status).toBe(200);
});
