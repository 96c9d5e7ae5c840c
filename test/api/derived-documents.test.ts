import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { showDocuments } from '#src/services/pipelines/documents/document-texts.ts';
import { selectDocumentPage } from '#src/services/pipelines/documents/documents.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Document {
  id: string;
  text: string;
  metadata: Record<string, unknown>;
  page_positions: number[] | null;
  status_metadata: { status: string; chunk_count: number | null; text_left_out?: true };
}

interface Box {
  page_index: number;
  page_width: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

interface Chunk {
  id_: string;
  text: string;
  start_char_idx: number;
  end_char_idx: number;
  token_count: number;
  bounding_boxes?: Box[];
  extra_info: Record<string, unknown>;
  relationships: Record<string, { node_id: string }>;
}

const MANUAL = buildPdf({
  pages: [
    { content: text(72, 720, 'The first page is about lighthouses.') + text(72, 700, 'They warn ships.') },
    { content: text(72, 650, 'The second page is about quays.') },
    { content: text(72, 600, 'The third page is about ropes.') },
  ],
});

const inPages = {
  mode: 'advanced',
  segmentation_config: { mode: 'page' },
  chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
};

async function mixed() {
  const id = await createPipeline({ transform_config: inPages });
  const path = `/api/v1/pipelines/${id}/documents`;
  const body = [{ id: 'note', text: 'A note that came as text.', metadata: { shelf: 'b' } }];
  await call('POST', path, { body });
  await untilFinished(id);
  const [file] = (await addFiles(id, { 'manual.pdf': MANUAL })) as [string];
  return { id, path, file };
}

const list = async (path: string, query = '') =>
  (await call<{ documents: Document[]; total_count: number }>('GET', `${path}/paginated${query}`)).body;
const listIds = async (path: string, query: string) => {
  const { documents, total_count } = await list(path, query);
  expect(total_count).toBe(documents.length);
  return documents.map(({ id }) => id);
};

describe('documents derived from a pipeline’s files', () => {
  it('are listed with its texts, by kind and by file', async () => {
    const { id, path, file } = await mixed();
    await sync(id);
    expect(await listIds(path, '')).toEqual(['note', file]);
    expect(await listIds(path, `?file_id=${file}`)).toEqual([file]);
    expect(await listIds(path, `?file_id=dfl-${file.toUpperCase()}`)).toEqual([file]);
    expect(await listIds(path, `?file_id=${file}&only_direct_upload=true`)).toEqual([]);
    expect(await listIds(path, `?file_id=${crypto.randomUUID()}`)).toEqual([]);
    expect(await listIds(path, '?only_direct_upload=true')).toEqual(['note']);
    expect(await listIds(path, '?only_api_data_source_documents=true')).toEqual([]);
    expect((await list(path, '?skip=1&limit=1')).documents.map((each) => each.id)).toEqual([file]);
    const plain = await call<Document[]>('GET', `${path}?file_id=${file}`);
    expect(plain.body.map((each) => each.id)).toEqual([file]);
    const counts = await call('GET', `${path}/status-counts`);
    expect(counts.body).toMatchObject({ total_count: 2, counts: { SUCCESS: 2 } });
  });

  it('have pages, metadata and a status', async () => {
    const { id, path, file } = await mixed();
    await sync(id);
    const { body } = await call<Document>('GET', `${path}/${file}`);
    expect(body).toMatchObject({
      id: file,
      metadata: { file_id: file, file_name: 'manual.pdf', document_id: file, pipeline_id: id },
      status_metadata: { status: 'SUCCESS', chunk_count: 3, error: null },
    });
    const starts = body.page_positions!;
    expect(starts).toHaveLength(3);
    const pages = starts.map((start, at) => body.text.slice(start, starts[at + 1]));
    expect(pages[0]).toContain('lighthouses');
    expect(pages[1]).toContain('quays');
    expect(pages[2]).toContain('ropes');
    const status = await call('GET', `${path}/${file}/status`);
    expect(status.body).toMatchObject({ status: 'SUCCESS', job_id: expect.any(String) });
    expect((await list(path, `?file_id=${file}`)).documents).toEqual([body]);
  });

  it('have chunks with pages, tokens, boxes and neighbours', async () => {
    const { id, path, file } = await mixed();
    await sync(id);
    const listChunks = (query = '') => call<Chunk[]>('GET', `${path}/${file}/chunks${query}`);
    const { text: whole } = (await call<Document>('GET', `${path}/${file}`)).body;
    const chunks = (await listChunks()).body;
    expect(chunks.map(({ extra_info }) => extra_info.start_page_index)).toEqual([0, 1, 2]);
    for (const { text: own, start_char_idx, end_char_idx, token_count, bounding_boxes } of chunks) {
      expect(whole.slice(start_char_idx, end_char_idx)).toBe(own);
      expect(token_count).toBeGreaterThan(3);
      expect(bounding_boxes).toBeUndefined();
    }
    const [first, second, third] = chunks.map(({ id_ }) => id_) as [string, string, string];
    expect(chunks[1]!.relationships).toMatchObject({ 2: { node_id: first }, 3: { node_id: third } });
    const ids = async (query: string) => (await listChunks(query)).body.map(({ id_ }) => id_);
    expect(await ids('?skip=1&limit=1')).toEqual([second]);
    expect(await ids('?skip=3')).toEqual([]);
    expect(await ids(`?around=${first}`)).toEqual([first, second]);
    expect(await ids(`?around=${second}&neighbours=0`)).toEqual([second]);
    expect(await ids(`?around=${second}&neighbours=50`)).toEqual([first, second, third]);
    expect((await listChunks('?around=unknown')).status).toBe(404);
    for (const wrong of ['?neighbours=-1', '?neighbours=51', '?limit=0', '?skip=x', '?bounding_boxes=x']) {
      expect((await listChunks(wrong)).status, wrong).toBe(422);
    }
    const [found] = await retrieve(id, 'quays');
    expect(found?.node.id_).toBe(second);
    const located = (await listChunks('?bounding_boxes=true')).body;
    expect(located.map((each) => each.bounding_boxes!.map((box) => box.page_index))).toEqual([
      [0, 0],
      [1],
      [2],
    ]);
    const [warning] = located[0]!.bounding_boxes!;
    expect(warning!.x).toBeCloseTo(72, 0);
    expect(warning!.y + warning!.h).toBeGreaterThan(792 - 725);
    expect(warning!.y).toBeLessThan(792 - 715);
    const note = await call<Chunk[]>('GET', `${path}/note/chunks?bounding_boxes=true`);
    expect(note.body).toMatchObject([{ bounding_boxes: [], text: 'A note that came as text.' }]);
  });

  it('are empty until they are parsed, or if they cannot be parsed', async () => {
    const { path, file, id } = await mixed();
    const [broken] = (await addFiles(id, { 'broken.pdf': '%PDF-1.7 and then nothing' })) as [string];
    await sync(id);
    expect((await call<Document>('GET', `${path}/${broken}`)).body).toMatchObject({
      text: '',
      page_positions: null,
      status_metadata: { status: 'ERROR', error: { step: 'PARSE' } },
    });
    expect((await call('GET', `${path}/${broken}/chunks`)).body).toEqual([]);
    expect((await call<Document>('GET', `${path}/${file}`)).body.text).not.toBe('');
  });

  it('are indexed again on request, and leave the pipeline when they are deleted', async () => {
    const { id, path, file } = await mixed();
    await sync(id);
    expect((await call('POST', `${path}/${file}/sync`)).body).toMatchObject({ status: 'NOT_STARTED' });
    expect((await untilFinished(id)).status).toBe('SUCCESS');
    expect((await call('DELETE', `${path}/${file}`)).status).toBe(204);
    const found = await retrieve(id, 'a note about quays');
    expect(found.map(({ node }) => node.extra_info.document_id)).toEqual(['note']);
    expect((await call('GET', `${path}/${file}`)).status).toBe(404);
    expect((await call('GET', `/api/v1/pipelines/${id}/files/${file}/status`)).status).toBe(404);
    expect((await call('GET', `/api/v1/files/${file}`)).status).toBe(200);
  });

  it('are hidden by a text with the same id', async () => {
    const { id, path, file } = await mixed();
    await call('POST', path, { body: [{ id: file, text: 'An impostor.', metadata: {} }] });
    await sync(id);
    expect((await call<Document>('GET', `${path}/${file}`)).body.text).toBe('An impostor.');
    expect((await list(path, `?file_id=${file}`)).documents).toMatchObject([
      { metadata: { file_name: 'manual.pdf' } },
    ]);
  });

  it('are hidden from other tenants', async () => {
    const { path, file } = await mixed();
    const { key } = await createTenant();
    for (const place of [`${path}/${file}`, `${path}?file_id=${file}`, `${path}/${file}/chunks`]) {
      expect((await call('GET', place, { key })).status).toBe(404);
      expect((await call('GET', place, { key: null })).status).toBe(401);
    }
  });

  it('have no text once the list exceeds its size limit', async () => {
    const { id, file } = await mixed();
    await sync(id);
    const ctx = createContext(env as never, { waitUntil() {} });
    const [pipeline] = (await ctx.db.select().from(pipelines)).filter((each) => each.id === id);
    const rows = await selectDocumentPage(ctx, id, {}, { skip: 0, limit: 10 });
    const shown = await showDocuments(ctx, pipeline!, rows, 30);
    expect(
      shown.map(({ member, text: own, isTextOmitted = false }) => [member.documentId, own, isTextOmitted]),
    ).toEqual([
      ['note', 'A note that came as text.', false],
      [file, '', true],
    ]);
  });
});
