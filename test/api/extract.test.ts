import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, type JobBody, run, untilEnded } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

const PATH = '/api/v2/extract';
const configuration = { data_schema: INVOICE_SCHEMA };
const unknown = '00000000-0000-4000-8000-000000000000';

describe('an extract job', () => {
  it('is pending first, and completes with a result and citations', async () => {
    const file_input = await upload('invoice.md', INVOICE);
    const created = await createJob('extract', {
      file_input,
      configuration: { ...configuration, cite_sources: true, confidence_scores: true },
    });
    expect(created).toMatchObject({ status: 'PENDING', file_input, extract_result: null, attempt: 0 });
    expect(created.id).toMatch(/^ext-/);
    expect(created.configuration).toMatchObject({ tier: 'cost_effective', extraction_target: 'per_doc' });
    expect(created.configuration?.version).toMatch(/^\d{4}-\d{2}-\d{2}$/);

    const job = await untilEnded('extract', created.id);
    expect(job).toMatchObject({ status: 'COMPLETED', attempt: 1, error_message: null });
    expect(job.extract_result).toMatchObject({
      invoice_number: 'INV-2041',
      invoice_date: '2026-03-14',
      total_due: 1163.4,
      fax: null,
    });
    expect(job.metadata?.usage.num_pages_extracted).toBe(1);
    const citation = job.extract_metadata?.field_metadata?.document_metadata?.invoice_number?.citation[0];
    expect(citation).toMatchObject({ page: 1, matching_text: expect.stringContaining('INV-2041') });
  });

  it('can use a completed parse job, including its own', async () => {
    const file_input = await upload('invoice.md', INVOICE);
    const first = await run('extract', { file_input, configuration });
    const parseJobId = first.extract_metadata!.parse_job_id;
    const parse = await call<JobBody>('GET', `/api/v2/parse/${parseJobId}?expand=text`);
    expect(parse.body).toMatchObject({ status: 'COMPLETED', file_id: file_input });
    expect(JSON.stringify(parse.body.text)).toContain('INV-2041');
    const second = await run('extract', { file_input: parseJobId, configuration });
    expect(second.extract_result).toEqual(first.extract_result);
    expect(second.extract_metadata?.parse_job_id).toBe(parseJobId);
  });

  it('returns a result per table row, and fails if target_pages selects nothing', async () => {
    const file_input = await upload('two.csv', 'name,amount\nalpha,10\nbeta,20\n');
    const rows = { type: 'object', properties: { name: { type: 'string' }, amount: { type: 'number' } } };
    const job = await run('extract', {
      file_input,
      configuration: { data_schema: rows, extraction_target: 'per_table_row', cite_sources: true },
    });
    expect(job.extract_result).toEqual([
      { name: 'alpha', amount: 10 },
      { name: 'beta', amount: 20 },
    ]);
    const beyond = await run('extract', {
      file_input,
      configuration: { data_schema: rows, target_pages: '7' },
    });
    expect(beyond).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('target_pages'),
    });
  });

  it('fails with the reason if the file has no text', async () => {
    const job = await run('extract', { file_input: await upload('blank.txt', ' \n '), configuration });
    expect(job).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('NO_DATA_FOUND_IN_FILE'),
      attempt: 1,
    });
  });

  it('returns a large result completely', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `item number ${n} with a long name,${n}`);
    const file_input = await upload('large.csv', `name,amount\n${lines.join('\n')}\n`);
    const rows = { type: 'object', properties: { name: { type: 'string' }, amount: { type: 'number' } } };
    const job = await run('extract', {
      file_input,
      configuration: { data_schema: rows, extraction_target: 'per_table_row' },
    });
    expect(job.error_message).toBeNull();
    expect(job.extract_result).toHaveLength(3000);
    expect((await call('DELETE', `${PATH}/${job.id}`)).status).toBe(200);
  });

  it('uses a saved configuration', async () => {
    const saved = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: { name: crypto.randomUUID(), parameters: { product_type: 'extract_v2', ...configuration } },
    });
    const file_input = await upload('invoice.md', INVOICE);
    const job = await run('extract', { file_input, configuration_id: saved.body.id });
    expect(job).toMatchObject({ status: 'COMPLETED', configuration_id: saved.body.id });
    expect(job.extract_result).toMatchObject({ invoice_number: 'INV-2041' });
  });

  it('is created once per Idempotency-Key, even for concurrent requests', async () => {
    const body = { file_input: await upload('invoice.md', INVOICE), configuration };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call<JobBody>('POST', PATH, { body, headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    const job = await untilEnded('extract', answers[0]!.body.id);
    expect(job).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  });
});

describe('filters of the extract job list', () => {
  it('accept ids in every form', async () => {
    const { key } = await createTenant();
    const { body: saved } = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      key,
      body: { name: 'saved', parameters: { product_type: 'extract_v2', ...configuration } },
    });
    const id = await upload('invoice.md', INVOICE, { key });
    const body = { file_input: `dfl-${id}`, configuration_id: saved.id };
    const job = await run('extract', body, key);
    for (const filter of [
      `configuration_id=${saved.id}`,
      `configuration_id=${saved.id.slice(4)}`,
      `file_input=${id}`,
      `file_input=${id.toUpperCase()}`,
      `file_input=DFL-${id}`,
    ]) {
      const { body: page } = await call<{ items: JobBody[] }>('GET', `${PATH}?${filter}`, { key });
      expect(page.items.map((each) => each.id)).toEqual([job.id]);
    }
    const forms = [job.id.toUpperCase(), job.id.slice(4), '', '%20', "'", `cls-${job.id.slice(4)}`, 'EXT-'];
    const others = Array.from({ length: 150 }, () => crypto.randomUUID());
    const many = [...others, ...forms].map((each) => `job_ids=${each}`).join('&');
    const { body: found } = await call<{ items: JobBody[] }>('GET', `${PATH}?${many}`, { key });
    expect(found.items.map((each) => each.id)).toEqual([job.id]);
    const none = await call<{ items: JobBody[] }>('GET', `${PATH}?file_input=pjb-${id}`, { key });
    expect(none.body.items).toEqual([]);
  });
});

describe('a rejected extract job', () => {
  it.each([
    ['a broken schema', { configuration: { data_schema: { type: 'array' } } }, /^schema_validation: type /],
    ['two configurations', { configuration, configuration_id: 'cfg-1' }, /^inputs_invalid: .*not both/],
    ['none', {}, /^inputs_invalid: /],
    [
      'a release before the first',
      { configuration: { ...configuration, version: '1999-01-01' } },
      /before the first release/,
    ],
    ['a file that is not there', { file_input: unknown, configuration }, /^inputs_invalid: File /],
    [
      'a parse job that is not there',
      { file_input: `pjb-${unknown}`, configuration },
      /^inputs_invalid: Parse job /,
    ],
    [
      'a parse configuration that is not there',
      { configuration: { ...configuration, parse_config_id: 'cfg-nothing' } },
      /^inputs_invalid: parse configuration/,
    ],
  ])('answers 400 with the reason: %s', async (_, change, detail) => {
    const file_input = await upload('invoice.md', INVOICE);
    const answer = await call<{ detail: string }>('POST', PATH, { body: { file_input, ...change } });
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(detail);
  });

  it.each([
    [{}],
    [{ file_input: 'x'.repeat(201), configuration }],
    [{ file_input: 'x', configuration: { ...configuration, tier: 'best' } }],
    [{ file_input: 'x', configuration: { ...configuration, target_pages: 'all' } }],
    [{ file_input: 'x', configuration, webhook_configurations: [{ webhook_events: ['nonsense'] }] }],
  ])('answers 422 for %j', async (body) => {
    expect((await call('POST', PATH, { body })).status).toBe(422);
  });

  it('answers 404 if the saved configuration does not exist', async () => {
    const body = { file_input: await upload('invoice.md', INVOICE), configuration_id: `cfg-${unknown}` };
    const answer = await call<{ detail: string }>('POST', PATH, { body });
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('configuration') } });
  });

  it('answers 400 if the parse job has not completed', async () => {
    const failed = await run('parse', { file_id: await upload('broken.pdf', '%PDF-1.4 nothing') });
    expect(failed.status).toBe('FAILED');
    const answer = await call<{ detail: string }>('POST', PATH, {
      body: { file_input: failed.id, configuration },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: `inputs_invalid: Parse job ${failed.id} is not completed (status: FAILED)` },
    });
  });
});

describe('the list of extract jobs', () => {
  it('is sorted newest first, has pages and accepts filters', async () => {
    const { key } = await createTenant();
    const file_input = await upload('invoice.md', INVOICE, { key });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await run('extract', { file_input, configuration }, key)).id);
    type Page = { items: JobBody[]; next_page_token: string | null; total_size: number };
    const list = async (query: string) => (await call<Page>('GET', `${PATH}?${query}`, { key })).body;
    const seen: string[] = [];
    let token = '';
    do {
      const page = await list(`page_size=2${token && `&page_token=${token}`}`);
      expect(page.total_size).toBe(5);
      seen.push(...page.items.map(({ id }) => id));
      token = page.next_page_token ?? '';
    } while (token);
    expect(seen).toEqual(ids);
    expect(await list('status=FAILED')).toMatchObject({ items: [], total_size: 0 });
    expect((await list(`job_ids=${ids[2]}`)).total_size).toBe(1);
    expect((await list(`file_input=${file_input}&document_input_type=file_id`)).items).toHaveLength(5);
    expect((await list(`job_ids=${ids[1]}&job_ids=${ids[3]}`)).items.map(({ id }) => id)).toEqual([
      ids[1],
      ids[3],
    ]);
    expect((await list('created_at_on_or_before=2020-01-01T00:00:00Z')).items).toEqual([]);
    const [plain] = (await list('page_size=1')).items;
    expect(plain).not.toHaveProperty('extract_metadata');
    const [expanded] = (await list('page_size=1&expand=extract_metadata&expand=usage')).items;
    expect(expanded).toMatchObject({ extract_metadata: {}, metadata: { usage: { num_pages_extracted: 1 } } });
    expect((await call('GET', `${PATH}?page_token=nonsense`, { key })).status).toBe(422);
  });

  it('is reflected in the usage, with each job counted once', async () => {
    const { key } = await createTenant();
    const file_input = await upload('invoice.md', INVOICE, { key });
    await run('extract', { file_input, configuration: { ...configuration, tier: 'agentic' } }, key);
    await run('extract', { file_input, configuration }, key);
    const usage = await call('GET', '/api/v1/usage', { key });
    expect(usage.body).toMatchObject({
      total: { jobs: 2, pages: 2, credits: 20 },
      products: { extract: { jobs: 2, pages: 2, credits: 20 } },
      models: [],
    });
    expect((await call('GET', '/api/v1/usage?from=yesterday', { key })).status).toBe(422);
    expect((await call('GET', '/api/v1/usage', { key: null })).status).toBe(401);
  });
});

describe('ending an extract job', () => {
  it('deletes it with 200 and an empty object, and then answers 404', async () => {
    const job = await run('extract', { file_input: await upload('invoice.md', INVOICE), configuration });
    expect(await call('DELETE', `${PATH}/${job.id}`)).toMatchObject({ status: 200, body: {} });
    expect((await call('GET', `${PATH}/${job.id}`)).status).toBe(404);
    expect((await call('DELETE', `${PATH}/${job.id}`)).status).toBe(404);
  });

  it('rejects the cancellation of a completed job', async () => {
    const file_input = await upload('invoice.md', INVOICE);
    const ended = await run('extract', { file_input, configuration });
    const late = await call('POST', `${PATH}/${ended.id}/cancel`);
    expect(late.status).toBe(409);
    expect(late.headers.get('x-should-retry')).toBe('false');
    expect((await call<JobBody>('GET', `${PATH}/${ended.id}`)).body.status).toBe('COMPLETED');
  });
});

describe('schemas', () => {
  it('are normalised, or rejected with 422 and the path of the error', async () => {
    const good = await call<{ data_schema: object }>('POST', `${PATH}/schema/validation`, {
      body: { data_schema: INVOICE_SCHEMA },
    });
    expect(good).toMatchObject({ status: 200, body: { data_schema: { type: 'object' } } });
    const bad = await call<{ detail: { loc: string[] }[] }>('POST', `${PATH}/schema/validation`, {
      body: { data_schema: { type: 'object', properties: { a: { type: 'nonsense' } } } },
    });
    expect(bad.status).toBe(422);
    expect(bad.body.detail[0]!.loc.slice(0, 4)).toEqual(['body', 'data_schema', 'properties', 'a']);
  });

  it('are generated from a prompt or a file, and can be saved', async () => {
    const file_id = await upload('invoice.md', INVOICE);
    for (const body of [{ prompt: 'Extract the invoice number and the total amount' }, { file_id }]) {
      const answer = await call<{ name: string; parameters: object }>('POST', `${PATH}/schema/generate`, {
        body,
      });
      expect(answer).toMatchObject({ status: 200, body: { parameters: { product_type: 'extract_v2' } } });
      expect(answer.body.name).not.toBe('');
      expect((await call('POST', '/api/v1/beta/configurations', { body: answer.body })).status).toBe(201);
    }
    expect((await call('POST', `${PATH}/schema/generate`, { body: {} })).status).toBe(422);
    expect((await call('POST', `${PATH}/schema/generate`, { body: { file_id: unknown } })).status).toBe(400);
  });
});

describe('the extract operations', () => {
  it('hide the jobs and files of other tenants', async () => {
    const { key } = await createTenant();
    const file_input = await upload('invoice.md', INVOICE);
    const job = await run('extract', { file_input, configuration });
    for (const [method, path] of [
      ['GET', `${PATH}/${job.id}`],
      ['DELETE', `${PATH}/${job.id}`],
      ['POST', `${PATH}/${job.id}/cancel`],
    ] as const) {
      expect((await call(method, path, { key })).status).toBe(404);
    }
    expect((await call('POST', PATH, { key, body: { file_input, configuration } })).status).toBe(400);
    expect((await call('GET', `${PATH}/not-an-id`)).status).toBe(404);
  });

  it.each([
    ['POST', PATH],
    ['GET', PATH],
    ['GET', `${PATH}/${unknown}`],
    ['DELETE', `${PATH}/${unknown}`],
    ['POST', `${PATH}/${unknown}/cancel`],
    ['POST', `${PATH}/schema/validation`],
    ['POST', `${PATH}/schema/generate`],
  ])('reject %s %s without a key', async (method, path) => {
    expect((await call(method, path, { key: null, ...(method === 'POST' && { body: {} }) })).status).toBe(
      401,
    );
  });
});
