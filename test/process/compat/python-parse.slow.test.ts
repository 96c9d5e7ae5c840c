import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { harbourReport } from '#test/fixtures/harbour-report.ts';
import { apiKey, Service, sleep } from '#test/process/service.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

// Sends the same calls as the Python class LlamaParse and validates answers with its models. Members that are
// optional there are required here.

const service = new Service();
beforeAll(() => service.start());
afterAll(() => service.end());

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${service.base}/compat${path}`, { ...init, headers: { authorization: `Bearer ${apiKey()}` } });

const box = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }).partial();
const number = z.number().nullish();
const string = z.string().nullish();

/** JobResult receives file_name and job_id as separate arguments, so the answer must not contain them. */
const jobResult = z
  .object({
    pages: z.array(
      z.object({
        page: z.int(),
        text: string,
        md: string,
        images: z.array(
          z.object({
            name: z.string(),
            height: number,
            width: number,
            x: number,
            y: number,
            original_width: z.int().nullish(),
            original_height: z.int().nullish(),
            type: string,
          }),
        ),
        charts: z.array(z.object({ name: z.string() })),
        tables: z.array(z.string()),
        layout: z.array(z.object({ image: z.string(), label: z.string() })),
        items: z.array(
          z.object({
            type: z.string(),
            lvl: z.int().nullish(),
            value: string,
            md: string,
            rows: z.array(z.array(z.unknown())).nullish(),
            bBox: box.nullish(),
            html: string,
          }),
        ),
        status: string,
        links: z.array(z.unknown()),
        width: number,
        height: number,
        triggeredAutoMode: z.boolean().nullish(),
        parsingMode: z.string(),
        structuredData: z.record(z.string(), z.unknown()).nullish(),
        noStructuredContent: z.boolean(),
        noTextContent: z.boolean(),
      }),
    ),
    job_metadata: z.object({
      job_pages: z.int(),
      job_auto_mode_triggered_pages: z.int().nullish(),
      job_is_cache_hit: z.boolean(),
    }),
    file_name: z.never().optional(),
    job_id: z.never().optional(),
  })
  .loose();

class JobFailed extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function createJob(
  fields: Record<string, string | string[]>,
  bytes = harbourReport(),
): Promise<string> {
  const form = new FormData();
  form.append('file', new File([bytes], 'harbour.pdf', { type: 'application/pdf' }));
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.append(name, value);
  }
  const answer = await call('/api/parsing/upload', { method: 'POST', body: form });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { id: string }).id;
}

async function readJobResult<Result>(id: string, form: string): Promise<Result> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const answer = await call(`/api/parsing/job/${id}`);
    const { status, error_code, error_message } = (await answer.json()) as Record<string, string>;
    if (status === 'SUCCESS') {
      return (await (await call(`/api/parsing/job/${id}/result/${form}`)).json()) as Result;
    }
    if (status !== 'PENDING') throw new JobFailed(error_code!, error_message!);
    await sleep(50);
  }
  throw new Error(`job ${id} did not end`);
}

type Json = z.infer<typeof jobResult>;

/** Reads in parts like `partition_pages`, until a part is short or past the end. */
async function partitioned(size: number): Promise<{ markdown: string }[]> {
  const results: { markdown: string }[] = [];
  for (let total = 0; ; total += size) {
    try {
      const target_pages = `${total}-${total + size - 1}`;
      const id = await createJob({ target_pages, language: 'en', invalidate_cache: 'False' });
      const json = await readJobResult<Json>(id, 'json');
      results.push(await readJobResult(id, 'markdown'));
      if (json.pages.length < size) return results;
    } catch (error) {
      if (results.length > 0 && error instanceof JobFailed && error.code === 'NO_DATA_FOUND_IN_FILE')
        return results;
      throw error;
    }
  }
}

it('parse() returns a JobResult with texts, tables and pictures', async () => {
  const id = await createJob({ language: ['en', 'de'], take_screenshot: 'True', split_by_page: 'True' });
  const result = jobResult.parse(await readJobResult(id, 'json'));
  expect(result.pages.map(({ page, status }) => [page, status])).toEqual([
    [1, 'OK'],
    [2, 'OK'],
    [3, 'OK'],
  ]);
  expect(result.job_metadata).toMatchObject({ job_pages: 3, job_is_cache_hit: false });
  expect(result.pages[0]!.items[0]).toMatchObject({ type: 'heading', value: 'Harbour report' });
  expect(result.pages[1]!.items.find(({ type }) => type === 'table')?.rows).toContainEqual([
    'South',
    '12',
    'Grace',
  ]);
  for (const { name } of result.pages[2]!.images) {
    const image = await call(`/api/parsing/job/${id}/result/image/${name}`);
    expect((await image.arrayBuffer()).byteLength).toBeGreaterThan(100);
  }
  expect(result.pages[2]!.images.map(({ type }) => type)).toEqual(['object', 'full_page_screenshot']);
  const raw = await (await call(`/api/v1/parsing/job/${id}/result/raw/markdown`)).text();
  expect(raw).toContain('# Harbour report');
  expect(raw).not.toContain('\n---\n');
  const sheets = await call(`/api/parsing/job/${id}/result/raw/xlsx`);
  expect(new Uint8Array(await sheets.arrayBuffer()).subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]));
});

it.each([
  [2, 2],
  [3, 1],
  [5, 1],
])('reads a document in parts of %i pages: %i parts', async (size, pieces) => {
  const results = await partitioned(size);
  expect(results).toHaveLength(pieces);
  const pages = results
    .map(({ markdown }) => markdown)
    .join('\n---\n')
    .split('\n---\n');
  expect(pages).toHaveLength(3);
  expect(pages[2]).toContain('lighthouse');
});

it('separates the error code from the message', async () => {
  const id = await createJob({}, new TextEncoder().encode('%PDF-1.4 nothing') as Uint8Array<ArrayBuffer>);
  await expect(readJobResult(id, 'json')).rejects.toMatchObject({
    code: 'PDF_IS_BROKEN',
    message: expect.not.stringContaining('PDF_IS_BROKEN'),
  });
});

it('accepts a URL in a form without file, and rejects a form with neither', async () => {
  const send = (fields: Record<string, string>) =>
    call('/api/parsing/upload', { method: 'POST', body: new URLSearchParams(fields) });
  const answer = await send({ input_url: 'http://10.0.0.1/x.pdf', language: 'en' });
  expect(answer.status).toBe(200);
  const { id } = (await answer.json()) as { id: string };
  await expect(readJobResult(id, 'json')).rejects.toThrow('not public');
  expect((await send({ language: 'en' })).status).toBe(422);
  const wrong = await send({ input_url: 'http://10.0.0.1/x.pdf', gpt4o_mode: 'perhaps' });
  expect(await wrong.json()).toMatchObject({ detail: [{ loc: ['body', 'gpt4o_mode'] }] });
});
