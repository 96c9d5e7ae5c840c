import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { files, pipelines } from '#src/db/schema/index.ts';
import { buildTextWithLinks } from '#src/ingest/join-pages.ts';
import { dropStoredFigures } from '#src/lib/text/picture-links.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { createLocator } from '#src/services/pipelines/documents/chunk-locations.ts';
import { readFileText } from '#src/services/pipelines/documents/document-texts.ts';
import { buildPdf, image, solidImage, text } from '#test/fixtures/pdf.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

interface Chunk {
  id_: string;
  text: string;
  order: number;
  token_count: number;
  character_count: number;
  document_id: string;
  file_id: string | null;
  page_indexes: number[];
  bounding_boxes?: (Box & { page_index: number })[];
  citations?: {
    page: number;
    matching_text: string;
    bounding_boxes?: Box[];
    page_dimensions?: { width: number; height: number };
  }[];
  without_citations?: string | null;
}

const MANUAL = buildPdf({
  pages: [
    { content: text(72, 720, 'Lighthouses warn ships of rocks.') },
    { content: text(72, 650, 'Quays are built of granite.') + text(72, 300, 'Ropes are made of hemp.') },
    { content: text(72, 600, 'Ropes are coiled on the deck.') },
  ],
});

const whole = { mode: 'advanced', segmentation_config: { mode: 'none' }, chunking_config: { mode: 'none' } };
const inPages = { ...whole, segmentation_config: { mode: 'page' } };

async function indexed(files: Record<string, string | Uint8Array>, transform_config: unknown) {
  const id = await createPipeline({ transform_config });
  const ids = await addFiles(id, files);
  await sync(id);
  return { path: `/api/v1/pipelines/${id}`, id, ids };
}

const listChunks = async (path: string, query = '') =>
  (await call<Chunk[]>('GET', `${path}/chunks${query}`)).body;

it('a node is returned by its id, with a citation for each of its pages', async () => {
  const { path, id, ids } = await indexed({ 'manual.pdf': MANUAL }, whole);
  const [found] = await retrieve(id, 'ropes of hemp');
  const { body } = await call<Chunk>('GET', `${path}/nodes/${found!.node.id_}`);
  expect(body).toMatchObject({
    ...{ ...found!.node, order: 0, document_id: ids[0], file_id: ids[0], page_indexes: [0, 1, 2] },
    ...{ character_count: body.text.length, token_count: expect.any(Number), without_citations: null },
  });
  expect(body.citations!.map(({ page, bounding_boxes }) => [page, bounding_boxes!.length])).toEqual([
    [1, 1],
    [2, 2],
    [3, 1],
  ]);
  const [, second] = body.citations!;
  expect(second).toMatchObject({ page_dimensions: { width: 612, height: 792 } });
  expect(second!.matching_text).toContain('granite');
  expect(second!.matching_text).not.toContain('Lighthouses');
  const [, hemp] = second!.bounding_boxes!;
  expect(hemp!.x).toBeCloseTo(72, 0);
  expect(hemp!.y + hemp!.h).toBeGreaterThan(792 - 302);
  expect(hemp!.y).toBeLessThan(792 - 300);
});

it('unknown node ids and those of others return 404', async () => {
  const { path, id } = await indexed({ 'manual.pdf': MANUAL }, inPages);
  const other = await indexed({ 'manual.pdf': MANUAL }, inPages);
  const [found] = await retrieve(id, 'granite');
  const { key } = await createTenant();
  const node = `nodes/${found!.node.id_}`;
  expect((await call('GET', `${path}/${node}`)).status).toBe(200);
  expect((await call('GET', `${path}/nodes/unknown`)).status).toBe(404);
  expect((await call('GET', `${other.path}/${node}`)).status).toBe(404);
  expect((await call('GET', `${path}/${node}`, { key })).status).toBe(404);
});

it('the chunks of a file match those of its document, and can be filtered by page', async () => {
  const { path, ids } = await indexed({ 'manual.pdf': MANUAL }, inPages);
  const file = `${path}/files/${ids[0]}`;
  const chunks = await listChunks(file, '?expand=citations');
  expect(chunks).toEqual(await listChunks(`${path}/documents/${ids[0]}`, '?expand=citations'));
  expect(
    chunks.map(({ order, page_indexes, citations }) => [order, page_indexes, citations!.length]),
  ).toEqual([
    [0, [0], 1],
    [1, [1], 1],
    [2, [2], 1],
  ]);
  const orders = async (query: string) => (await listChunks(file, query)).map(({ order }) => order);
  expect(await orders('')).toEqual([0, 1, 2]);
  expect((await listChunks(file))[0]!.citations).toBeUndefined();
  expect(await orders('?skip=1&limit=1')).toEqual([1]);
  expect(await orders('?page_index=1')).toEqual([1]);
  expect(await orders('?page_index=1&skip=1')).toEqual([]);
  expect(await orders('?page_index=3')).toEqual([]);
  expect((await call('GET', `${file}/chunks?page_index=-1`)).status).toBe(422);
  expect((await call('GET', `${path}/files/${crypto.randomUUID()}/chunks`)).status).toBe(404);
});

it('text files have boxes on their rendered page, and data and texts have a reason why not', async () => {
  const filler = 'word '.repeat(1200);
  const files = { 'long.md': `# Ropes\n\n${filler}\n\nThe end is hemp.`, 'rows.csv': 'a,b\n1,2\n' };
  const { path, ids } = await indexed(files, whole);
  const [long] = await listChunks(`${path}/files/${ids[0]}`, '?expand=citations');
  const [{ page_dimensions: size, bounding_boxes: boxes }] = long!.citations as [
    NonNullable<Chunk['citations']>[number],
  ];
  await call('GET', `/api/v1/files/${ids[0]}/page_screenshots`);
  const [picture] = (
    await call<{ metadata: { width: number; height: number } }[]>(
      'GET',
      `/api/v1/files/${ids[0]}/page_screenshots`,
    )
  ).body;
  expect(size!.height).toBeGreaterThan(792);
  expect(picture!.metadata.height / picture!.metadata.width).toBeCloseTo(size!.height / size!.width, 2);
  const last = boxes!.at(-1)!;
  expect(last.y + last.h).toBeGreaterThan(size!.height - 80);
  expect(last.y + last.h).toBeLessThan(size!.height);
  const [rows] = await listChunks(`${path}/files/${ids[1]}`, '?expand=citations');
  expect(rows).toMatchObject({ citations: [], without_citations: 'no_pages' });
  await call('POST', `${path}/documents`, { body: [{ id: 'note', text: 'A note.', metadata: {} }] });
  await sync(path.split('/').at(-1)!);
  const [note] = await listChunks(`${path}/documents/note`, '?expand=citations');
  expect(note).toMatchObject({ file_id: null, citations: [], without_citations: 'text_document' });
  expect((await call('GET', `${path}/files/note/chunks`)).status).toBe(404);
});

it('a chunk beside a figure has boxes and no file name, even in an index built with file names', async () => {
  const between =
    text(72, 700, 'Cranes lift stone.') + image(0, 100, 400, 220, 180) + text(72, 300, 'Ships wait.');
  const bytes = buildPdf({ pages: [{ content: between, images: [solidImage(110, 90, [200, 90, 140])] }] });
  const { path, id } = await indexed({ 'cranes.pdf': bytes }, inPages);
  const [found] = await retrieve(id, 'cranes and ships', { retrieve_page_figure_nodes: true });
  expect(found!.node.text).toBe('Cranes lift stone.\n\nShips wait.');
  const { body } = await call<Chunk>('GET', `${path}/nodes/${found!.node.id_}`);
  expect(body.citations!.map(({ page, bounding_boxes }) => [page, bounding_boxes!.length])).toEqual([[1, 2]]);

  const ctx = createContext(env, { waitUntil() {} });
  const db = openDatabase(env.DB);
  const pipeline = (await db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
  const file = (await db.query.files.findFirst({ where: eq(files.id, body.file_id!) }))!;
  const { text: whole } = (await readFileText(ctx, pipeline, file, buildTextWithLinks))!;
  expect(whole).toContain('page_1_figure_1.png');
  const older = { text: whole, startChar: 0, endChar: whole.length, startPage: 0, endPage: 0 } as StoredChunk;
  const locateChunk = await createLocator(ctx, pipeline, file);
  expect((await locateChunk(older)).pages.map(({ boxes }) => boxes.length)).toEqual([2]);
  const shown = { ...older, text: dropStoredFigures(whole) };
  expect((await locateChunk(shown)).pages.map(({ boxes }) => boxes.length)).toEqual([2]);
  expect(await locateChunk({ ...older, text: 'Other words.' })).toEqual({
    pages: [],
    missingReason: 'parsed_anew',
  });
});
