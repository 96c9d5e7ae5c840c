import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { NAMED_SCHEMAS } from '#src/json-schema/named-schemas/index.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { buildPdf, image, paragraph, solidImage } from '#test/fixtures/pdf.ts';
import { call, fetchService, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, type JobBody, run } from '#test/support/jobs.ts';

const schema = JSON.stringify(INVOICE_SCHEMA);
type Leaf = { citation: { page: number; matching_text: string }[]; confidence: number };

interface Structured {
  value: Record<string, unknown> | null;
  field_metadata: Record<string, Leaf> | null;
  data_schema: { properties: object } | null;
  model: string | null;
  error: string | null;
}

async function parsed(configuration: object, text: string | Uint8Array = INVOICE, name = 'invoice.md') {
  const job = await run('parse', { file_id: await upload(name, text), configuration });
  expect(job.status).toBe('COMPLETED');
  return job;
}

async function getStructured({ id }: JobBody): Promise<Structured | null> {
  const { body } = await call<JobBody>('GET', `/api/v2/parse/${id}?expand=structured&expand=markdown_full`);
  expect(body.markdown_full).not.toBe('');
  return body.structured as Structured | null;
}

const made = async (configuration: object, ...document: [(string | Uint8Array)?, string?]) =>
  getStructured(await parsed(configuration, ...document));

it('structured output fills in the caller’s schema, with a citation for each value', async () => {
  const found = await made({ structured_output: true, structured_output_json_schema: schema });
  expect(found).toMatchObject({
    value: { invoice_number: 'INV-2041', invoice_date: '2026-03-14', total_due: 1163.4, fax: null },
    data_schema: INVOICE_SCHEMA,
    model: 'builtin',
    error: null,
  });
  const { invoice_number, fax } = found!.field_metadata!;
  expect(invoice_number!.citation).toMatchObject([
    { page: 1, matching_text: expect.stringContaining('INV-2041') },
  ]);
  expect(invoice_number!.confidence).toBeGreaterThan(0.5);
  expect(fax!.citation).toEqual([]);
});

it('structured output accepts the name of a schema', async () => {
  const found = await made({ structured_output_json_schema_name: 'invoice' });
  expect(found!.value).toMatchObject({ invoiceNumber: 'INV-2041', invoiceDate: '2026-03-14' });
  expect(Object.keys(found!.value!)).toEqual(expect.arrayContaining(NAMED_SCHEMAS.invoice.required!));
  const person = await made(
    { structured_output_json_schema_name: 'resume' },
    '# Ada\n\nEmail: ada@home.example\n',
  );
  expect(person!.value).toMatchObject({ basics: { email: 'ada@home.example' } });
});

it('structured output generates a schema from the document', async () => {
  for (const configuration of [
    { structured_output: true },
    { structured_output_json_schema_name: 'imFeelingLucky' },
  ]) {
    const found = await made(configuration);
    expect(found).toMatchObject({ error: null, value: { invoice_number: 'INV-2041' } });
    expect(found!.data_schema!.properties).toHaveProperty('invoice_number');
  }
});

it('structured output uses only the pages of the parse', async () => {
  const page = (number: string) => ({ content: paragraph(72, 700, [`Invoice number: ${number}`]) });
  const bytes = buildPdf({ pages: [page('INV-1'), page('INV-2')] });
  const asked = { structured_output_json_schema: schema };
  const first = await made({ ...asked, max_pages: 1 }, bytes, 'a.pdf');
  expect(first!.value).toMatchObject({ invoice_number: 'INV-1' });
  const second = await made({ ...asked, target_pages: '2' }, bytes, 'a.pdf');
  expect(second!.value).toMatchObject({ invoice_number: 'INV-2' });
  expect(second!.field_metadata!.invoice_number!.citation[0]!.page).toBe(2);
});

it('structured output is null if it is not requested, and needs no second parse', async () => {
  const plain = await parsed({});
  expect(await getStructured(plain)).toBeNull();
  const off = await parsed({ structured_output: false, structured_output_json_schema: schema });
  expect(await getStructured(off)).toBeNull();
  const on = await parsed({ structured_output_json_schema: schema });
  const { results } = await env.DB.prepare(
    'select distinct config_hash from parse_jobs where id in (?, ?, ?)',
  )
    .bind(plain.id, off.id, on.id)
    .all();
  expect(results).toHaveLength(1);
});

/** Returns a PDF with a picture and no text. */
const withoutText = () =>
  buildPdf({ pages: [{ content: image(0, 72, 300, 300, 300), images: [solidImage(60, 60, [9, 9, 200])] }] });
const unread = async (configuration: object) => {
  const asked = { ...configuration, disable_ocr: true };
  const job = await run('parse', { file_id: await upload('scan.pdf', withoutText()), configuration: asked });
  expect(job.status).toBe('COMPLETED');
  return job;
};

it('structured output reports why it is missing, and the parse completes', async () => {
  for (const [configuration, why] of [
    [{ structured_output: true }, 'The pages have no labels'],
    [{ structured_output_json_schema: schema }, 'NEEDS_OCR'],
  ] as const) {
    const { body } = await call<JobBody>(
      'GET',
      `/api/v2/parse/${(await unread(configuration)).id}?expand=structured`,
    );
    expect(body.structured).toMatchObject({
      ...{ value: null, field_metadata: null, model: null },
      error: expect.stringContaining(why),
    });
  }
});

it.each([
  ['structured_output_json_schema', 'must be JSON', '{"type":"object"'],
  ['structured_output_json_schema', 'must be a JSON object', '["type"]'],
  ['structured_output_json_schema', 'type must be "object" at the root', '{"type":"array"}'],
  ['structured_output_json_schema', 'at most 150000', `{"type":"object"}${' '.repeat(150_000)}`],
  ['structured_output_json_schema', 'must be', `${'['.repeat(70_000)}${']'.repeat(70_000)}`],
  [
    'structured_output_json_schema',
    'levels of nested JSON',
    `{"a":${'['.repeat(70_000)}${']'.repeat(70_000)}}`,
  ],
  ['structured_output_json_schema_name', 'must be one of invoice, receipt, resume', 'Invoice'],
])('structured output rejects an invalid schema: %s %s', async (name, why, value) => {
  const file_id = '00000000-0000-4000-8000-000000000000';
  const { status, body } = await call<{ detail: { loc: string[]; msg: string }[] }>('POST', '/api/v2/parse', {
    body: { file_id, configuration: { [name]: value } },
  });
  expect(status).toBe(422);
  expect(body.detail[0]).toMatchObject({
    loc: ['body', 'configuration', name],
    msg: expect.stringContaining(why),
  });
});

it('structured output causes a warning if another parameter overrides it, and in pipelines', async () => {
  const file_id = await upload('invoice.md', INVOICE);
  const warned = async (configuration: object) => {
    const { body } = await call<{ warnings?: Warning[] }>('POST', '/api/v2/parse', {
      body: { file_id, configuration },
    });
    return (body.warnings ?? []).map(({ field }) => field);
  };
  const both = { structured_output_json_schema: schema, structured_output_json_schema_name: 'invoice' };
  expect(await warned(both)).toEqual(['configuration.structured_output_json_schema_name']);
  expect(await warned({ ...both, structured_output: false })).toEqual([
    'configuration.structured_output_json_schema',
    'configuration.structured_output_json_schema_name',
  ]);
  expect(await warned({ structured_output: true, structured_output_json_schema: schema })).toEqual([]);
  const { body } = await call<{ warnings: Warning[] }>('POST', '/api/v1/pipelines', {
    body: { name: `p ${crypto.randomUUID()}`, parse_parameters: { ...both, structured_output: true } },
  });
  expect(body.warnings.map(({ field }) => field).toSorted()).toEqual([
    'parse_parameters.structured_output',
    'parse_parameters.structured_output_json_schema',
    'parse_parameters.structured_output_json_schema_name',
  ]);
});

it('structured output has the format that older and newer clients expect', async () => {
  const { id } = await parsed({ structured_output_json_schema: schema });
  const one = (path: string) => call<Record<string, unknown>>('GET', `/compat${path}`);
  const legacy = `/api/v1/parsing/job/${id}/result`;
  const { body } = await one(`${legacy}/structured`);
  expect(body).toMatchObject({
    structured: { invoice_number: 'INV-2041' },
    job_metadata: { job_pages: 1 },
  });
  expect((await one(`${legacy}/raw/structured`)).body).toEqual(body.structured);
  const newer = await one(`/api/v2/parse/${id}?expand=structured`);
  expect(newer.body).toMatchObject({ structured: { value: body.structured, error: null } });
  const none = await unread({ structured_output_json_schema: schema });
  const failed = await one(`/api/parsing/job/${none.id}/result/structured`);
  expect(failed.body).toMatchObject({
    structured: null,
    job_metadata: { structured_error: expect.stringContaining('NEEDS_OCR') },
  });
  const plain = await parsed({});
  for (const raw of ['', '/raw']) {
    const { status } = await fetchService(
      'GET',
      `/compat/api/parsing/job/${plain.id}/result${raw}/structured`,
    );
    expect(status).toBe(404);
  }
});

it('structured output is deleted with its job', async () => {
  const { id } = await parsed({ structured_output_json_schema: schema });
  const kept = async () => {
    const { objects } = await env.FILES.list({ prefix: 'projects/' });
    return objects.filter(({ key }) => key.includes(id)).length;
  };
  expect(await kept()).toBe(1);
  expect((await call('DELETE', `/api/v2/parse/${id}`)).status).toBe(200);
  expect(await kept()).toBe(0);
});
