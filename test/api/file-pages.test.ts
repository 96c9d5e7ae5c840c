import { expect, it } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Pages {
  kind: string | null;
  page_count: number;
  total_count: number;
  pages: { page_index: number; label: string | null; width: number | null; state: string }[];
}

interface Page {
  page_index: number;
  height: number;
  needs_ocr: boolean;
  markdown?: string;
  text?: string;
  blocks?: { type: string; box?: { y: number; h: number } }[];
  words?: { text: string; x: number; y: number }[];
}

const many = buildPdf({
  pages: Array.from({ length: 40 }, (_, at) => ({ content: text(72, 700, `Page number ${at}.`) })),
});

const listPages = async (id: string, query = '') =>
  (await call<Pages>('GET', `/api/v1/files/${id}/pages${query}`)).body;

it('pages are counted without parsing, and have details once their page range has been read', async () => {
  const id = await upload('many.pdf', many);
  expect(await listPages(id, '?limit=2')).toMatchObject({
    ...{ kind: 'pdf', page_count: 40, total_count: 40, limit: 2, offset: 0 },
    pages: [0, 1].map((page_index) => ({ page_index, label: null, width: null, state: 'not_parsed' })),
  });
  const { body } = await call<Page>('GET', `/api/v1/files/${id}/pages/33?expand=text&expand=words`);
  expect(body).toMatchObject({ page_index: 33, height: 792, needs_ocr: false, text: 'Page number 33.' });
  expect(body.words!.map((word) => word.text)).toEqual(['Page', 'number', '33.']);
  expect(body.words![0]!.x).toBeCloseTo(72, 0);
  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['markdown', 'blocks']));
  const { pages } = await listPages(id, '?offset=30&limit=5');
  expect(pages.map(({ page_index, state, width }) => [page_index, state, width])).toEqual([
    [30, 'not_parsed', null],
    [31, 'not_parsed', null],
    [32, 'parsed', 612],
    [33, 'parsed', 612],
    [34, 'parsed', 612],
  ]);
  expect((await listPages(id, '?offset=40')).pages).toEqual([]);
});

it('pages of text files have the coordinates of their rendered page', async () => {
  const id = await upload('note.md', '# Ropes\n\nHemp lasts.');
  const path = `/api/v1/files/${id}/pages/0?expand=blocks&expand=markdown&expand=words`;
  const { body } = await call<Page>('GET', path);
  expect(body.blocks).toMatchObject([
    { type: 'heading', level: 1, box: { x: 54 } },
    { type: 'paragraph', box: { x: 54 } },
  ]);
  const [heading, paragraph] = body.blocks!.map(({ box }) => box!);
  expect(heading!.y + heading!.h).toBeLessThan(paragraph!.y);
  expect(body.words!.map((word) => word.text)).toEqual(['Ropes', 'Hemp', 'lasts.']);
  expect(body.markdown).toContain('# Ropes');
});

it('blocks that are tables have their cells', async () => {
  const id = await upload('quays.csv', 'name,metres\nNorth,30\n"South, old",45\n');
  const { body } = await call<{ blocks: { type: string; rows?: string[][] }[] }>(
    ...(['GET', `/api/v1/files/${id}/pages/0?expand=blocks`] as const),
  );
  expect(body.blocks.find(({ type }) => type === 'table')?.rows).toEqual([
    ['name', 'metres'],
    ['North', '30'],
    ['South, old', '45'],
  ]);
});

it('missing pages answer 404, and unreadable files have no pages or answer 422', async () => {
  const id = await upload('note.md', '# Ropes');
  const { key } = await createTenant();
  expect((await call('GET', `/api/v1/files/${id}/pages/1`)).status).toBe(404);
  expect((await call('GET', `/api/v1/files/${id}/pages?limit=0`)).status).toBe(422);
  for (const path of ['pages', 'pages/0']) {
    expect((await call('GET', `/api/v1/files/${id}/${path}`, { key })).status).toBe(404);
  }
  const odd = await upload('odd.bin', new Uint8Array([0, 1, 2, 3, 255, 254, 0, 0]));
  expect(await listPages(odd)).toMatchObject({ kind: null, page_count: 0, pages: [] });
  const broken = await upload('broken.pdf', '%PDF-1.7 and nothing');
  expect((await call('GET', `/api/v1/files/${broken}/pages`)).status).toBe(422);
});
