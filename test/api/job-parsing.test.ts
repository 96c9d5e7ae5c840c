import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, paragraph } from '#test/fixtures/pdf.ts';
import { drawn, scannedPage } from '#test/fixtures/scan.ts';
import { call, upload } from '#test/support/client.ts';
import {
  createJob,
  INVOICE,
  INVOICE_SCHEMA,
  type JobBody,
  RULES,
  run,
  untilEnded,
} from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

const evidence = { confidence_scores: true, cite_sources: true };
let scanned: Uint8Array;

beforeAll(async () => {
  const scan = await drawn(['Invoice number: INV-2041', 'Total due: 1,163.40 EUR']);
  scanned = buildPdf({ pages: [scannedPage(scan)] });
});

type Entry = { confidence: number; extraction_confidence: number; parsing_confidence?: number };
const getEntry = (job: JobBody, name: string) =>
  job.extract_metadata!.field_metadata!.document_metadata![name] as unknown as Entry;

/** Returns the parameters of the parse that the job started. */
async function getParseParameters(job: JobBody): Promise<Record<string, unknown>> {
  const id = job.extract_metadata?.parse_job_id ?? (job.parse_job_id as string);
  return (await call<JobBody>('GET', `/api/v2/parse/${id}`)).body.configuration!;
}

describe('parsing confidence', () => {
  it('is the confidence of the OCR engine for a scanned page', async () => {
    const file_input = await upload('scan.pdf', scanned);
    const job = await run('extract', {
      file_input,
      configuration: { data_schema: INVOICE_SCHEMA, ...evidence },
    });
    expect(job.extract_result).toMatchObject({ invoice_number: 'INV-2041', total_due: 1163.4 });
    const entry = getEntry(job, 'total_due');
    expect(entry.parsing_confidence).toBeGreaterThan(0.3);
    expect(entry.parsing_confidence).toBeLessThan(1);
    expect(entry.confidence).toBeCloseTo(entry.extraction_confidence * entry.parsing_confidence!, 2);
  });

  it('is 1 for a text layer, and absent without a citation', async () => {
    const file_input = await upload('invoice.md', INVOICE);
    const job = await run('extract', {
      file_input,
      configuration: { data_schema: INVOICE_SCHEMA, ...evidence },
    });
    expect(getEntry(job, 'invoice_number').parsing_confidence).toBe(1);
    expect(getEntry(job, 'fax')).not.toHaveProperty('parsing_confidence');
  });
});

describe('the parse tier', () => {
  const extract = async (configuration: object, file = scanned) =>
    run('extract', {
      file_input: await upload('scan.pdf', file),
      configuration: { data_schema: INVOICE_SCHEMA, ...configuration },
    });

  it('follows the tier, and sets the resolution for OCR', async () => {
    const job = await extract({ tier: 'agentic' });
    expect(job.extract_metadata).toMatchObject({ parse_tier: 'agentic' });
    expect(await getParseParameters(job)).toEqual({ high_res_ocr: true });
    const apart = await extract({ tier: 'agentic', parse_tier: 'cost_effective' });
    expect(apart.extract_metadata).toMatchObject({ parse_tier: 'cost_effective' });
    expect(await getParseParameters(apart)).toEqual({});
  });

  it('does not read scanned pages if it is fast', async () => {
    expect(await extract({ parse_tier: 'fast' })).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('NEEDS_OCR'),
    });
    const typed = buildPdf({ pages: [{ content: paragraph(72, 720, ['Invoice number: INV-2041']) }] });
    expect((await extract({ parse_tier: 'fast' }, typed)).extract_result).toMatchObject({
      invoice_number: 'INV-2041',
    });
  });

  it('is overridden by a saved parse configuration', async () => {
    const { body: saved } = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: { name: crypto.randomUUID(), parameters: { product_type: 'parse_v2', disable_ocr: false } },
    });
    const job = await extract({ parse_tier: 'fast', parse_config_id: saved.id });
    expect(job.extract_result).toMatchObject({ invoice_number: 'INV-2041' });
    expect(await getParseParameters(job)).toEqual({ disable_ocr: false });
  });

  it('is not reported for the parse of another job', async () => {
    const parse = await run('parse', { file_id: await upload('invoice.md', INVOICE) });
    const configuration = { data_schema: INVOICE_SCHEMA, parse_tier: 'agentic' };
    const job = await run('extract', { file_input: parse.id, configuration });
    expect(job.extract_metadata).not.toHaveProperty('parse_tier');
    expect(job.extract_metadata!.parse_job_id).toBe(parse.id);
  });
});

describe('the pages of a job', () => {
  const pages = ['one', 'two', 'three', 'four'].map((text) => ({
    content: paragraph(72, 720, [`Keeper: ${text}`]),
  }));
  const data_schema = { type: 'object', properties: { keeper: { type: 'string' } } };

  it('are limited by max_pages after target_pages selected them', async () => {
    const file_id = await upload('log.pdf', buildPdf({ pages }));
    const parse = await run('parse', { file_id, configuration: { target_pages: '3-4' } });
    const { body: saved } = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: { name: crypto.randomUUID(), parameters: { product_type: 'parse_v2', target_pages: '3-4' } },
    });
    for (const [file_input, parsing] of [
      [parse.id, {}],
      [file_id, { parse_config_id: saved.id }],
    ] as const) {
      const configuration = { data_schema, max_pages: 1, ...parsing };
      const job = await run('extract', { file_input, configuration });
      expect(job).toMatchObject({ status: 'COMPLETED', extract_result: { keeper: 'three' } });
      expect(job.metadata?.usage.num_pages_extracted).toBe(1);
    }
  });

  it('are only those needed for a generated schema', async () => {
    const { key } = await createTenant();
    const long = Array.from({ length: 40 }, () => pages[0]!);
    const file_id = await upload('log.pdf', buildPdf({ pages: long }), { key });
    const made = await call('POST', '/api/v2/extract/schema/generate', { key, body: { file_id } });
    expect(made.status).toBe(200);
    const { body: file } = await call<{ project_id: string }>('GET', `/api/v1/files/${file_id}`, { key });
    const { objects } = await env.FILES.list({ prefix: `projects/${file.project_id}/parsed/` });
    const ranges = objects.filter((each) => /\/pages\/.*\d{6}\.json$/.test(each.key));
    expect(ranges.map((each) => each.key.slice(-11))).toEqual(['000000.json']);
  });
});

describe('a saved parse configuration', () => {
  const saved = async (parameters: object) => {
    const body = { name: crypto.randomUUID(), parameters: { product_type: 'parse_v2', ...parameters } };
    return (await call<{ id: string }>('POST', '/api/v1/beta/configurations', { body })).body.id;
  };

  it('is copied when the job is created', async () => {
    const parse_config_id = await saved({ target_pages: '1', premium_llm_api_key: 'Pl4nted' });
    const file_input = await upload('invoice.md', INVOICE);
    const configuration = { data_schema: INVOICE_SCHEMA, parse_config_id };
    const created = await createJob('extract', { file_input, configuration });
    await call('DELETE', `/api/v1/beta/configurations/${parse_config_id}`);
    const job = await untilEnded('extract', created.id);
    expect(job).toMatchObject({ status: 'COMPLETED', configuration: { parse_config_id } });
    expect(job.configuration).not.toHaveProperty('parse_parameters');
    expect(await getParseParameters(job)).toEqual({ target_pages: '1', premium_llm_api_key: '********' });
    const row =
      'select configuration from parse_jobs where id = ? union select configuration from extract_jobs where id = ?';
    const { results } = await env.DB.prepare(row).bind(job.extract_metadata!.parse_job_id, job.id).all();
    expect(JSON.stringify(results)).toContain('sealed:v1:');
    expect(JSON.stringify(results)).not.toContain('Pl4nted');
  });
});

describe('the language of a classify job', () => {
  const classify = async (parsing_configuration?: object, file = scanned) =>
    run('classify', {
      file_input: await upload('scan.pdf', file),
      configuration: { rules: RULES, ...(parsing_configuration && { parsing_configuration }) },
    });

  it('is used to read scanned pages', async () => {
    // The built-in OCR engine has no model for Thai.
    expect(await classify({ lang: 'th' })).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('NEEDS_OCR'),
    });
    const typed = { content: paragraph(72, 720, ['Rechnung']) };
    const scan = scannedPage(await drawn(['Gesamtbetrag: 1.163,40 EUR']));
    const job = await classify({ lang: 'th' }, buildPdf({ pages: [scan, typed] }));
    expect(await getParseParameters(job)).toEqual({ languages: ['th'] });
  });

  it('changes nothing if it is English, which is the default', async () => {
    for (const configuration of [undefined, { lang: 'en' }]) {
      const job = await classify(configuration);
      expect(job).toMatchObject({ status: 'COMPLETED', result: { type: 'invoice' } });
      expect(await getParseParameters(job)).toEqual({});
    }
  });
});

it('reads documents of any length in parts', async () => {
  const pages = Array.from({ length: 300 }, (_, n) => ({
    content: paragraph(72, 720, [`Log entry ${n + 1}`, ...(n === 299 ? ['Keeper: Matilda Oyelaran'] : [])]),
  }));
  const file_input = await upload('log.pdf', buildPdf({ pages }));
  const schema = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } });
  const job = await run('extract', {
    file_input,
    configuration: { data_schema: schema('keeper'), ...evidence },
  });
  expect(job.extract_result).toEqual({ keeper: 'Matilda Oyelaran' });
  expect(getEntry(job, 'keeper')).toMatchObject({ citation: [{ page: 300 }], parsing_confidence: 1 });
  expect(job.metadata?.usage.num_pages_extracted).toBe(300);
  const perPage = await run('extract', {
    file_input,
    configuration: { data_schema: schema('keeper'), extraction_target: 'per_page' },
  });
  expect(perPage.extract_result).toHaveLength(300);
  expect(perPage.extract_result!.at(-1)).toEqual({ keeper: 'Matilda Oyelaran' });
  const classified = await run('classify', { file_input, configuration: { rules: RULES } });
  expect(classified).toMatchObject({ status: 'COMPLETED', result: { type: null } });
});
