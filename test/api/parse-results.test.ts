import { read, utils } from '@e965/xlsx';
import { expect, it } from 'vitest';
import { harbourReport } from '#test/fixtures/harbour-report.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { FONT_KINDS, textIn } from '#test/fixtures/pdf-fonts.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { type JobBody, run } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

const PATH = '/api/v2/parse';
const UNREADABLE = FONT_KINDS['Type 3 with low codes']!;

const report = async (configuration: object = {}, key?: string) => {
  const file_id = await upload('harbour.pdf', harbourReport(), { ...(key && { key }) });
  return run('parse', { file_id, configuration, user_metadata: { shelf: 'b' } }, key);
};

const expanded = async (id: string, ...names: string[]) => {
  const query = names.map((name) => `expand=${name}`).join('&');
  const { status, body } = await call<JobBody>('GET', `${PATH}/${id}?${query}`);
  expect(status).toBe(200);
  return body;
};

it('a parse job includes the file name, the tier, the usage and the user metadata', async () => {
  const job = await report({ tier: 'agentic' });
  const facts = {
    name: 'harbour.pdf',
    tier: 'agentic',
    usage: { credits: 3 },
    user_metadata: { shelf: 'b' },
  };
  expect(job).toMatchObject(facts);
  const listed = await call<{ items: JobBody[] }>('GET', `${PATH}?job_ids=${job.id}`);
  expect(listed.body.items).toMatchObject([facts]);
});

it('items include the typed blocks of every page', async () => {
  const { id } = await report();
  const { items } = await expanded(id, 'items');
  const { pages } = items as {
    pages: { page_number: number; success: boolean; items: { type: string }[] }[];
  };
  expect(pages.map(({ page_number, success }) => [page_number, success])).toEqual([
    [1, true],
    [2, true],
    [3, true],
  ]);
  expect(pages[0]!.items[0]).toMatchObject({
    type: 'heading',
    level: expect.any(Number),
    value: 'Harbour report',
    markdown: expect.stringMatching(/^#+ Harbour report$/),
    box: { x: expect.any(Number), y: expect.any(Number), w: expect.any(Number), h: expect.any(Number) },
  });
  expect(pages[1]!.items.find(({ type }) => type === 'table')).toMatchObject({
    rows: [
      ['Berth', 'Depth', 'Keeper'],
      ['North', '7.5', 'Ada'],
      ['South', '12', 'Grace'],
    ],
  });
});

it('items include the rows of tables that are rendered as HTML', async () => {
  const { id } = await report({ output_tables_as_HTML: true });
  const { items } = await expanded(id, 'items');
  const { pages } = items as { pages: { items: { type: string; rows?: string[][]; markdown: string }[] }[] };
  const table = pages[1]!.items.find(({ type }) => type === 'table')!;
  expect(table.markdown).toMatch(/^<table>/);
  expect(table.rows?.[2]).toEqual(['South', '12', 'Grace']);
});

it('the full texts contain the whole document with the configured separators', async () => {
  const { id } = await report({ page_separator: '\n== {pageNumber} ==\n' });
  const { markdown_full, text_full } = await expanded(id, 'markdown_full', 'text_full', 'usage');
  expect(markdown_full).toMatch(
    /Harbour report[\s\S]*\n== 2 ==\n[\s\S]*North[\s\S]*\n== 3 ==\nThe lighthouse/,
  );
  expect(text_full).toMatch(/^Harbour report[\s\S]*\n== 2 ==\nBerths/);
});

it('content metadata links to files without a key, with their sizes', async () => {
  const { id } = await report();
  const names = ['markdown', 'text', 'json', 'xlsx'].map((format) => `${format}_content_metadata`);
  const found = await expanded(id, ...names);
  for (const name of names) {
    const { size_bytes, exists, presigned_url } = found[name] as Record<string, string>;
    expect(exists).toBe(true);
    const { pathname, search } = new URL(presigned_url!);
    const answer = await fetchService('GET', pathname + search, { key: null });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBe(size_bytes);
    const changed = await fetchService('GET', pathname.replace(/\w+$/, 'raw') + search, { key: null });
    expect(changed.status).toBe(403);
  }
});

it('the workbook contains all tables', async () => {
  const { id } = await report();
  const answer = await fetchService('GET', `${PATH}/${id}/result/xlsx`);
  expect(answer.headers.get('content-disposition')).toContain('.xlsx');
  const book = read(new Uint8Array(await answer.arrayBuffer()));
  expect(book.SheetNames).toEqual(['Page 2 Table 1']);
  expect(utils.sheet_to_json(book.Sheets['Page 2 Table 1']!, { header: 1 })).toEqual([
    ['Berth', 'Depth', 'Keeper'],
    ['North', 7.5, 'Ada'],
    ['South', 12, 'Grace'],
  ]);
});

it('image metadata lists page screenshots and figures', async () => {
  const { id } = await report({ target_pages: '2-3' });
  const { images_content_metadata } = await expanded(id, 'images_content_metadata');
  const { images, total_count } = images_content_metadata as {
    images: { filename: string; category: string; presigned_url: string; content_type: string }[];
    total_count: number;
  };
  expect(total_count).toBe(images.length);
  expect(images.map(({ category }) => category)).toEqual(['screenshot', 'screenshot', 'embedded']);
  expect(images[0]!.filename).toBe('page_2.png');
  for (const { presigned_url, content_type } of images) {
    const { pathname, search } = new URL(presigned_url);
    const answer = await fetchService('GET', pathname + search, { key: null });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, content_type]);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
  }
});

it('a page that could not be read reports the reason', async () => {
  const scan = {
    content: 'q 612 0 0 792 0 0 cm /Im0 Do Q',
    images: [{ width: 8, height: 8, data: new Uint8Array(192) }],
  };
  const file_id = await upload('scan.pdf', harbourReport([scan]));
  const { id } = await run('parse', { file_id, configuration: { disable_ocr: true } });
  const { markdown, metadata } = await expanded(id, 'markdown', 'metadata');
  const failed = { page_number: 4, success: false, error: expect.stringContaining('NEEDS_OCR') };
  expect((markdown as { pages: object[] }).pages[3]).toMatchObject(failed);
  expect((markdown as { pages: object[] }).pages[0]).toMatchObject({ page_number: 1, success: true });
  expect((metadata as unknown as { pages: object[] }).pages[3]).toMatchObject(failed);
});

it('results cannot be downloaded after a failure, or by another tenant', async () => {
  const { key } = await createTenant();
  const job = await report({}, key);
  expect((await call('GET', `${PATH}/${job.id}/result/text`)).status).toBe(404);
  const failed = await run('parse', { file_id: await upload('broken.pdf', '%PDF-1.4 nothing') });
  const refused = await call('GET', `${PATH}/${failed.id}/result/text`);
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('FAILED') } });
  expect((await call('GET', `${PATH}/${failed.id}/result/docx`)).status).toBe(422);
});

it('items include their lines on request', async () => {
  const { id } = await report({ line_level_bounding_box: true });
  const { items } = await expanded(id, 'items');
  const [page] = (
    items as { pages: { items: { value: string; lines?: { text: string; box: object }[] }[] }[] }
  ).pages;
  const opening = page!.items.find(({ value }) => value.startsWith('The harbour opens'));
  expect(opening?.lines).toMatchObject([
    { text: expect.stringContaining('opens'), box: { x: expect.any(Number), h: expect.any(Number) } },
  ]);
});

it('omissions list what was left out of the file and its pages', async () => {
  const { font } = UNREADABLE;
  const pages = [
    { content: text(50, 700, 'The harbour opens at nine.') },
    { content: textIn(0, UNREADABLE, 50, 700, 'nobody knows these letters') },
  ];
  const bytes = buildPdf({ pages, fonts: [font], attachments: ['berths.csv'] }).slice();
  const file_id = await upload('signs.pdf', bytes);
  const { id } = await run('parse', { file_id, configuration: { disable_ocr: true } });
  const { omissions, text: read, metadata } = await expanded(id, 'omissions', 'text', 'metadata');
  expect(omissions).toEqual([
    { kind: 'embedded_file', page_number: null, message: 'The embedded file berths.csv is not read.' },
    { kind: 'unread_page', page_number: 2, message: expect.stringMatching(/^NEEDS_OCR: .* 23 of .* 23 /) },
    { kind: 'characters_without_unicode', page_number: 2, message: expect.stringContaining('23 of its 23') },
  ]);
  expect(metadata).toMatchObject({
    pages: [
      { glyphs: { drawn: 22, extracted: 22, without_unicode: 0 } },
      { glyphs: { drawn: 23, extracted: 0, without_unicode: 23 } },
    ],
  });
  expect(read).toMatchObject({ pages: [{ success: true }, { success: false }] });
});
