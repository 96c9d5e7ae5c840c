import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { read, utils } from '@e965/xlsx';
import * as generated from '@llamaindex/cloud/api';
import LlamaCloud from '@llamaindex/llama-cloud';
import LlamaCloudOne from 'llama-cloud-1';
import { LlamaParseReader } from 'llama-cloud-services/reader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { harbourReport } from '#test/fixtures/harbour-report.ts';
import { SharedService } from '#test/process/shared-client.ts';

const service = new SharedService();
const folder = mkdtempSync(join(tmpdir(), 'sluice-parse-'));
const path = join(folder, 'harbour.pdf');
const pdf = () => new File([harbourReport()], 'harbour.pdf', { type: 'application/pdf' });
const broken = () => new File(['%PDF-1.4 nothing'], 'broken.pdf');
const scan = {
  content: 'q 612 0 0 792 0 0 cm /Im0 Do Q',
  images: [{ width: 8, height: 8, data: new Uint8Array(192) }],
};

beforeAll(async () => {
  writeFileSync(path, harbourReport());
  await service.start();
});
afterAll(async () => {
  await service.end();
  rmSync(folder, { recursive: true });
});

const base = () => `${service.base}/compat`;
const quick = { pollingInterval: 0.1, maxInterval: 0.2 };
const agentic = { tier: 'agentic' as const, version: 'latest' as const };

describe('@llamaindex/llama-cloud', () => {
  const client = () => new LlamaCloud({ apiKey: service.key, baseURL: base() });

  it('parses an upload and reads it in every format', async () => {
    const result = await client().parsing.parse(
      {
        ...agentic,
        upload_file: pdf(),
        user_metadata: { shelf: 'b' },
        output_options: { markdown: { tables: { compact_markdown_tables: true } } },
        expand: [
          'text',
          'markdown',
          'items',
          'metadata',
          'markdown_full',
          'text_full',
          'job_metadata',
          'usage',
          'text_content_metadata',
          'xlsx_content_metadata',
          'output_pdf_content_metadata',
          'images_content_metadata',
          'poems',
        ],
      },
      quick,
    );
    expect(result.job).toMatchObject({
      status: 'COMPLETED',
      name: 'harbour.pdf',
      tier: 'agentic',
      usage: { credits: 3 },
      user_metadata: { shelf: 'b' },
    });
    expect(result.markdown?.pages[0]).toMatchObject({
      page_number: 1,
      success: true,
      markdown: expect.stringMatching(/^#+ Harbour report/),
    });
    expect(result.text?.pages[2]).toMatchObject({
      page_number: 3,
      text: expect.stringContaining('lighthouse'),
    });
    expect(result.markdown_full).toContain('|Berth|Depth|Keeper|');
    expect(result.text_full).toMatch(/nine[\s\S]*Berths[\s\S]*lighthouse/);
    expect(result.items?.pages[0]).toMatchObject({
      success: true,
      page_width: 612,
      items: [
        {
          type: 'heading',
          level: expect.any(Number),
          value: 'Harbour report',
          bbox: [{ w: expect.any(Number) }],
        },
        { type: 'text' },
      ],
    });
    const page = result.items!.pages[1]! as { items: { type: string }[] };
    expect(page.items.find(({ type }) => type === 'table')).toMatchObject({
      csv: 'Berth,Depth,Keeper\nNorth,7.5,Ada\nSouth,12,Grace',
      html: expect.stringContaining('<td>Grace</td>'),
      rows: expect.arrayContaining([['South', '12', 'Grace']]),
    });
    expect(result.metadata?.pages[1]).toMatchObject({ page_number: 2, printed_page_number: '2' });
    expect(result.job_metadata).toMatchObject({ job_pages: 3 });
    const { text, xlsx, output_pdf } = result.result_content_metadata!;
    expect(await (await fetch(text!.presigned_url!)).text()).toBe(result.text_full);
    const book = read(await (await fetch(xlsx!.presigned_url!)).arrayBuffer());
    expect(book.SheetNames).toEqual(['Page 2 Table 1']);
    expect(output_pdf).toMatchObject({ exists: false });
    const { images, total_count } = result.images_content_metadata!;
    expect(total_count).toBe(4);
    const figure = images.find(({ category }) => category === 'embedded')!;
    const shown = await fetch(figure.presigned_url!);
    expect(shown.headers.get('content-type')).toBe(figure.content_type);
    const { warnings } = result as unknown as { warnings: { field: string; reason: string }[] };
    expect(warnings).toEqual([{ field: 'expand', reason: expect.stringContaining('poems') }]);
    const one = await client().parsing.get(result.job.id, {
      expand: ['images_content_metadata'],
      image_filenames: figure.filename,
    });
    expect(one.images_content_metadata?.images.map(({ filename }) => filename)).toEqual([figure.filename]);
  });

  it('maps parameters and warns about those without effect', async () => {
    const file = await client().files.create({ file: pdf(), purpose: 'parse' });
    const job = await client().parsing.create({
      ...agentic,
      file_id: file.id,
      page_ranges: { target_pages: '2' },
      crop_box: { top: 0.05 },
      processing_options: { ignore: { ignore_diagonal_text: true }, ocr_parameters: { languages: ['de'] } },
      output_options: {
        markdown: { annotate_line_numbers: true, tables: { output_tables_as_markdown: false } },
      },
      processing_control: { timeouts: { base_in_seconds: 60 } },
      disable_cache: true,
      client_name: 'a test',
    });
    const fields = (job as unknown as { warnings: { field: string }[] }).warnings.map(({ field }) => field);
    expect(fields).toEqual(
      expect.arrayContaining(['output_options.markdown.annotate_line_numbers', 'tier', 'client_name']),
    );
    expect(fields).not.toContain('crop_box.top');
    expect(fields).not.toContain('processing_control.timeouts.base_in_seconds');
    const done = await client().parsing.waitForCompletion(job.id, { expand: ['markdown'] }, quick);
    expect(done.markdown?.pages.map(({ page_number }) => page_number)).toEqual([2]);
    expect(JSON.stringify(done.markdown)).toContain('<table>');
    const kept = await service.call<{ configuration: object }>('GET', `/api/v2/parse/${job.id}`);
    expect(kept.configuration).toEqual({
      ...agentic,
      target_pages: '2',
      bbox_top: 0.05,
      skip_diagonal_text: true,
      languages: ['de'],
      output_tables_as_HTML: true,
      job_timeout_in_seconds: 60,
      do_not_cache: true,
      invalidate_cache: true,
    });
  });

  it('reports the location of invalid input', async () => {
    const asked = { ...agentic, source_url: 'https://example.com/x', crop_box: { top: 0.6, bottom: 0.6 } };
    await expect(client().parsing.create(asked)).rejects.toMatchObject({
      status: 422,
      error: { detail: [{ loc: ['body', 'crop_box', 'bottom'] }] },
    });
    await expect(
      client().parsing.create({ ...asked, upload_file: pdf(), crop_box: { top: 3 } }),
    ).rejects.toMatchObject({
      error: {
        detail: expect.arrayContaining([
          expect.objectContaining({ loc: ['body', 'configuration', 'crop_box', 'top'] }),
        ]),
      },
    });
  });

  it('lists, reads versions, cancels and deletes jobs', async () => {
    const { id, project_id } = await client().parsing.create({ ...agentic, upload_file: pdf() });
    await client().parsing.waitForCompletion(id, {}, quick);
    const listed = await client().parsing.list({ job_ids: [id] });
    expect(listed.items).toMatchObject([{ id, name: 'harbour.pdf', status: 'COMPLETED' }]);
    const versions = await client().parsing.listVersions();
    expect(versions.agentic).toContain(versions.latest.agentic);
    await expect(client().parsing.cancel(id)).rejects.toMatchObject({ status: 409 });
    expect(await client().parsing.delete(id)).toEqual({ id, project_id });
    await expect(client().parsing.get(id)).rejects.toMatchObject({ status: 404 });
  });

  it('reports unreadable pages and files', async () => {
    const upload_file = new File([harbourReport([scan])], 'scan.pdf');
    const processing_options = { ignore: { ignore_text_in_image: true } };
    const expand = ['markdown', 'items'];
    const { markdown, items } = await client().parsing.parse(
      { ...agentic, upload_file, processing_options, expand },
      quick,
    );
    const failed = { page_number: 4, success: false, error: expect.stringContaining('NEEDS_OCR') };
    expect(markdown?.pages.at(-1)).toMatchObject(failed);
    expect(items?.pages.at(-1)).toMatchObject(failed);
    expect(markdown?.pages[0]).toMatchObject({ success: true });
    await expect(
      client().parsing.parse({ ...agentic, upload_file: broken(), expand }, quick),
    ).rejects.toThrow('PDF_IS_BROKEN');
  });

  it('stores parse configurations in its format, which override other parameters', async () => {
    const parameters = {
      product_type: 'parse_v2' as const,
      ...agentic,
      page_ranges: { target_pages: '3' },
      output_options: { markdown: { tables: { output_tables_as_markdown: false } } },
    };
    const saved = await client().configurations.create({ name: 'third', parameters });
    expect(saved.parameters).toEqual(parameters);
    const changed = { ...parameters, crop_box: { left: 0.01 } };
    await client().configurations.update(saved.id, { parameters: changed });
    const again = await client().configurations.retrieve(saved.id);
    expect(again.parameters).toEqual(changed);
    const listed = await client().configurations.list({ product_type: ['parse_v2'] });
    expect(listed.items.find(({ id }) => id === saved.id)?.parameters).toEqual(changed);
    const neutral = await service.call('GET', `/api/v1/beta/configurations/${saved.id}`);
    expect(neutral).toMatchObject({ parameters: { target_pages: '3', output_tables_as_HTML: true } });
    const { job, text } = await client().parsing.parse(
      {
        ...agentic,
        upload_file: pdf(),
        configuration_id: saved.id,
        page_ranges: { target_pages: '1' },
        expand: ['text'],
      },
      quick,
    );
    expect(job.status).toBe('COMPLETED');
    expect(text?.pages.map(({ page_number }) => page_number)).toEqual([3]);
  });
});

it('llama-cloud 1.6 parses an upload', async () => {
  const client = new LlamaCloudOne({ apiKey: service.key, baseURL: base() });
  const parsed = await client.parsing.parse(
    { tier: 'agentic', version: 'latest', upload_file: pdf(), expand: ['markdown', 'items'] },
    quick,
  );
  expect(JSON.stringify(parsed.markdown)).toContain('Harbour report');
  expect(JSON.stringify(parsed.items)).toContain('"csv":"Berth');
});

describe('LlamaParseReader', () => {
  const reader = (options: ConstructorParameters<typeof LlamaParseReader>[0] = {}) =>
    new LlamaParseReader({
      apiKey: service.key,
      baseUrl: base(),
      checkInterval: 0.1,
      verbose: false,
      ignoreErrors: false,
      ...options,
    });

  it('loads the pages as documents', async () => {
    const documents = await reader({ resultType: 'markdown' }).loadData(path);
    expect(documents).toHaveLength(3);
    expect(documents[1]!.text).toMatch(/North[\s\S]*Grace/);
    const [whole] = await reader({ resultType: 'text', splitByPage: false }).loadData(path);
    expect(whole!.text).toMatch(/nine[\s\S]*\n---\n[\s\S]*Berths/);
  });

  it('counts target pages from 0', async () => {
    const [second] = await reader({ targetPages: '1' }).loadData(path);
    expect(second!.text).toContain('Berths of the harbour.');
    expect(second!.text).not.toContain('lighthouse');
  });

  it('loads JSON with tables and pictures', async () => {
    const results = await reader({ takeScreenshot: true, language: ['en', 'de'] }).loadJson(path);
    const [{ pages, job_metadata }] = results as unknown as [
      { pages: { images: { name: string }[] }[]; job_metadata: object },
    ];
    expect(job_metadata).toMatchObject({ job_pages: 3 });
    expect(pages.map(({ images }) => images.map(({ name }) => name))).toEqual([
      ['page_1.jpg'],
      ['page_2.jpg'],
      [expect.any(String), 'page_3.jpg'],
    ]);
    const images = await reader().getImages(results, join(folder, 'images'));
    expect(images).toHaveLength(4);
    for (const name of readdirSync(join(folder, 'images'))) {
      expect(readFileSync(join(folder, 'images', name)).byteLength, name).toBeGreaterThan(100);
    }
    const [table] = await reader().getTables(results as never, folder);
    expect(readFileSync(table!, 'utf8')).toContain('South,12,Grace');
  });

  it('reports why a file cannot be read', async () => {
    const data = new Uint8Array(await broken().arrayBuffer());
    await expect(reader().loadDataAsContent(data, 'broken.pdf')).rejects.toThrow('status: ERROR');
  });
});

describe('generated functions of @llamaindex/cloud', () => {
  const asked = () => ({ throwOnError: true as const, client: generated.client });

  it('upload, wait, read and download', async () => {
    generated.client.setConfig({ baseUrl: base(), headers: { Authorization: `Bearer ${service.key}` } });
    const body = {
      file: pdf(),
      target_pages: '1-2',
      page_separator: '\n#\n',
      gpt4o_mode: true,
      internal_is_screenshot_job: true,
    };
    const { data: job } = await generated.uploadFileApiV1ParsingUploadPost({ ...asked(), body });
    const { warnings } = job as unknown as { warnings: { field: string }[] };
    expect(warnings.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['gpt4o_mode', 'internal_is_screenshot_job']),
    );
    const options = { ...asked(), path: { job_id: job.id } };
    await expect
      .poll(async () => (await generated.getJobApiV1ParsingJobJobIdGet(options)).data.status)
      .toBe('SUCCESS');
    const markdown = await generated.getJobResultApiV1ParsingJobJobIdResultMarkdownGet(options);
    expect(markdown.data.markdown.split('\n#\n')).toHaveLength(2);
    const text = await generated.getJobTextResultApiV1ParsingJobJobIdResultTextGet(options);
    expect(text.data.text).toMatch(/^Berths/);
    const parameters = await generated.getJobParametersApiV1ParsingJobJobIdParametersGet(options);
    expect(parameters.data).toMatchObject({ target_pages: '1-2', gpt4o_mode: true });
    const details = await generated.getParsingJobDetailsApiV1ParsingJobJobIdDetailsGet(options);
    expect(details.data).toMatchObject({ status: 'SUCCESS', file_name: 'harbour.pdf' });
    const sheets = await generated.getJobRawXlsxResultApiV1ParsingJobJobIdResultXlsxGet(options);
    const book = read(await (sheets.data as Blob).arrayBuffer());
    expect(utils.sheet_to_json(book.Sheets[book.SheetNames[0]!]!)).toContainEqual({
      Berth: 'South',
      Depth: 12,
      Keeper: 'Grace',
    });
    const { data: extensions } =
      await generated.getSupportedFileExtensionsApiV1ParsingSupportedFileExtensionsGet(asked());
    expect(extensions).toContain('.pdf');
    for (const form of ['pdf', 'structured']) {
      const missing = await fetch(`${base()}/api/v1/parsing/job/${job.id}/result/${form}`, {
        headers: { authorization: `Bearer ${service.key}` },
      });
      expect(missing.status).toBe(404);
      expect(await missing.json()).toMatchObject({ detail: expect.stringContaining(form) });
    }
  });
});
