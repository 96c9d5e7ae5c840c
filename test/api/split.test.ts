import { env } from 'cloudflare:workers';
import LlamaCloud from '@llamaindex/llama-cloud';
import LlamaCloudOne from 'llama-cloud-1';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { BASE } from '#test/support/fetch-service.ts';
import { CATEGORIES, createJob, run } from '#test/support/jobs.ts';

interface Segment {
  category: string;
  confidence: number;
  confidence_category: string;
  pages: number[];
}

const INVOICE_PAGE = [
  'Invoice number INV-2041, invoice date 14 March 2026',
  'Please pay the total amount due within thirty days.',
  'Payment by bank transfer to the account on this bill.',
];
const RECIPE_PAGE = [
  'Ingredients: flour, sugar, butter, three eggs and milk.',
  'Preparation: beat the eggs with the sugar, add the flour,',
  'bake the cake in the oven and let the dish cool down.',
];
const toPage = (lines: string[]) => ({
  content: lines.map((line, at) => text(72, 700 - at * 20, line)).join(''),
});
const pdf = buildPdf({
  pages: [
    toPage(INVOICE_PAGE),
    toPage(INVOICE_PAGE),
    { content: '' },
    toPage(RECIPE_PAGE),
    toPage(RECIPE_PAGE),
  ],
});
const configuration = { categories: CATEGORIES, splitting_strategy: { allow_uncategorized: 'forbid' } };
const toRanges = (segments: Pick<Segment, 'category' | 'pages'>[]) =>
  segments.map(({ category, pages }) => `${category}: ${pages.join()}`);
const EXPECTED = ['invoice: 1,2,3', 'recipe: 4,5'];

let file: string;
beforeAll(async () => {
  file = await upload('parts.pdf', pdf);
});

describe('a split job', () => {
  it('divides a document into segments by categories', async () => {
    const job = await run('split', { file_input: file, configuration });
    expect(job).toMatchObject({ status: 'COMPLETED', document_input_type: 'file_id', attempt: 1 });
    const { segments } = job.result as unknown as { segments: Segment[] };
    expect(toRanges(segments)).toEqual(EXPECTED);
    for (const { confidence, confidence_category } of segments) {
      expect(confidence).toBeGreaterThan(0.5);
      expect(['high', 'medium']).toContain(confidence_category);
    }
    const { body } = await call<{ status: string }>('GET', `/api/v2/parse/${job.parse_job_id as string}`);
    expect(body.status).toBe('COMPLETED');
  });

  it('accepts a parse job, a saved configuration and selected pages', async () => {
    const parameters = { product_type: 'split_v1', ...configuration, target_pages: '4-5' };
    const saved = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: { name: 'parts', parameters },
    });
    const parse = await run('parse', { file_id: file });
    const job = await run('split', { file_input: parse.id, configuration_id: saved.body.id });
    expect(job).toMatchObject({ configuration_id: saved.body.id, document_input_type: 'parse_job_id' });
    expect(toRanges((job.result as unknown as { segments: Segment[] }).segments)).toEqual(['recipe: 4,5']);
  });

  it('fails for a document without text', async () => {
    const file_input = await upload('blank.pdf', buildPdf({ pages: [{ content: '' }] }));
    const job = await run('split', { file_input, configuration });
    expect(job).toMatchObject({ status: 'FAILED', result: null });
    expect(job.error_message).toMatch(/NO_DATA_FOUND_IN_FILE|NEEDS_OCR/);
  });

  it('rejects categories with one name, the reserved name and invalid saved parameters', async () => {
    const attempt = (body: object) => call('POST', '/api/v2/split', { body: { file_input: file, ...body } });
    const named = (...names: string[]) => ({
      configuration: { categories: names.map((name) => ({ name })) },
    });
    expect((await attempt(named('a', 'a'))).status).toBe(422);
    expect((await attempt(named('uncategorized'))).status).toBe(422);
    expect((await attempt({})).status).toBe(400);
    const saved = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: { name: 'nothing', parameters: { product_type: 'split_v1' } },
    });
    expect((await attempt({ configuration_id: saved.body.id })).status).toBe(422);
  });

  it('can be cancelled and deleted', async () => {
    const job = await createJob('split', { file_input: file, configuration });
    const path = `/api/v2/split/${job.id}`;
    const cancelled = await call<{ status: string }>('POST', `${path}/cancel`);
    // The job may have completed before the request.
    expect([200, 409]).toContain(cancelled.status);
    expect((await call('DELETE', path)).status).toBe(200);
    expect((await call('GET', path)).status).toBe(404);
  });
});

describe('unmodified clients', () => {
  const options = () => {
    const service = startWith({});
    const fetch = (input: RequestInfo | URL, init?: RequestInit) => service(new Request(input, init));
    return { apiKey: String(env.BOOTSTRAP_API_KEY), baseURL: `${BASE}/compat`, fetch, maxRetries: 0 };
  };
  const quick = { pollingInterval: 0.05, maxInterval: 0.1 };
  const document_input = { type: 'file_id', value: '' };

  it('of release 2.16 split a file and find the job in the list', async () => {
    const client = new LlamaCloud(options());
    const job = await client.beta.split.split({
      document_input: { ...document_input, value: file },
      configuration: { categories: CATEGORIES, splitting_strategy: { allow_uncategorized: 'forbid' } },
      ...quick,
    });
    expect(job).toMatchObject({
      status: 'completed',
      document_input: { value: file },
      categories: CATEGORIES,
    });
    expect(toRanges(job.result!.segments)).toEqual(EXPECTED);
    expect(job.result!.segments[0]).not.toHaveProperty('confidence');
    const ids: string[] = [];
    for await (const each of client.beta.split.list({ job_ids: [job.id], status: 'completed' }))
      ids.push(each.id);
    expect(ids).toEqual([job.id]);
  });

  it('of release 1.6 send the categories and a boolean strategy', async () => {
    const client = new LlamaCloudOne(options());
    const job = await client.beta.split.split({
      document_input: { ...document_input, value: file },
      categories: CATEGORIES,
      splitting_strategy: { allow_uncategorized: false },
      ...quick,
    });
    expect(toRanges(job.result!.segments)).toEqual(EXPECTED);
  });
});
