import { describe, expect, it } from 'vitest';
import { buildPdf } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { createJob, INVOICE, type JobBody, RULES, run, untilEnded } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

const PATH = '/api/v2/classify';
const configuration = { rules: RULES };
const unknown = '00000000-0000-4000-8000-000000000000';

describe('a classify job', () => {
  it('completes with a type, a confidence and the evidence', async () => {
    const file_input = await upload('invoice.md', INVOICE);
    const created = await createJob('classify', { file_input, configuration });
    expect(created).toMatchObject({ status: 'PENDING', document_input_type: 'file_id', result: null });
    expect(created.user_id).toEqual(expect.any(String));
    const job = await untilEnded('classify', created.id);
    expect(job).toMatchObject({ status: 'COMPLETED', attempt: 1, result: { type: 'invoice' } });
    expect(job.result!.confidence).toBeGreaterThan(0.5);
    expect(job.result!.reasoning).toMatch(/nvoice number/);
    const parse = await call<JobBody>('GET', `/api/v2/parse/${job.parse_job_id as string}`);
    expect(parse.body.status).toBe('COMPLETED');
  });

  it('completes without a type if no rule matches', async () => {
    const file_input = await upload('poem.txt', 'The sea was calm and the gulls were silent over the bay.');
    const job = await run('classify', { file_input, configuration });
    expect(job).toMatchObject({ status: 'COMPLETED', result: { type: null } });
  });

  it('fails for a document without text', async () => {
    const file_input = await upload('blank.pdf', buildPdf({ pages: [{ content: '' }] }));
    const job = await run('classify', { file_input, configuration });
    expect(job).toMatchObject({ status: 'FAILED', result: null, attempt: 1 });
    expect(job.error_message).toMatch(/NO_DATA_FOUND_IN_FILE|NEEDS_OCR/);
  });

  it.each(['file_id', 'parse_job_id'] as const)('accepts the deprecated %s', async (name) => {
    const file_id = await upload('invoice.md', INVOICE);
    const id = name === 'file_id' ? file_id : (await run('parse', { file_id })).id;
    const job = await run('classify', { [name]: id, configuration });
    expect(job).toMatchObject({ document_input_type: name, file_input: id, result: { type: 'invoice' } });
  });

  it('reads only the pages of its parsing configuration', async () => {
    const file_input = await upload('invoice.md', INVOICE);
    const parsing_configuration = { target_pages: '9' };
    const job = await run('classify', {
      file_input,
      configuration: { ...configuration, parsing_configuration },
    });
    expect(job).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining('target_pages') });
  });

  it('fails with the reason if its URL is not public', async () => {
    const job = await run('classify', { file_input: 'http://127.0.0.1:1/invoice.pdf', configuration });
    expect(job).toMatchObject({ document_input_type: 'url', status: 'FAILED' });
    expect(job.error_message).toContain('not public');
  });

  it('is returned again for a repeated transaction_id, whatever the body says', async () => {
    const transaction_id = crypto.randomUUID();
    const file_input = await upload('invoice.md', INVOICE);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        call<JobBody>('POST', PATH, { body: { file_input, configuration, transaction_id } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const other = await call<JobBody>('POST', PATH, { body: { transaction_id, file_input: 'nothing' } });
    expect(other).toMatchObject({ status: 200, body: { id: answers[0]!.body.id, file_input } });
    expect(await untilEnded('classify', other.body.id)).toMatchObject({ transaction_id, attempt: 1 });
  });

  it('is returned again even if the new body is invalid', async () => {
    const transaction_id = crypto.randomUUID();
    const body = { transaction_id, configuration, file_input: await upload('invoice.md', INVOICE) };
    const { id } = await createJob('classify', body);
    const broken = { transaction_id, configuration: { rules: [] } };
    expect(await call<JobBody>('POST', PATH, { body: broken })).toMatchObject({ status: 200, body: { id } });
    const { key } = await createTenant();
    expect((await call('POST', PATH, { key, body: broken })).status).toBe(422);
    expect((await call('POST', PATH, { key: null, body: broken })).status).toBe(401);
  });

  it('notifies only the webhooks of the request that created it', async () => {
    const body = {
      transaction_id: crypto.randomUUID(),
      configuration,
      file_input: await upload('invoice.md', INVOICE),
    };
    const hooks = (n: number) =>
      Array.from({ length: n }, (_, at) => ({ webhook_url: `http://no.where.${n}.${at}.example/` }));
    const jobs = await Promise.all(
      [1, 3, 2].map((n) => createJob('classify', { ...body, webhook_configurations: hooks(n) })),
    );
    await untilEnded('classify', jobs[0]!.id);
    const query = `/api/v1/beta/webhook-deliveries?job_id=${jobs[0]!.id}`;
    const { body: log } = await call<{ items: { webhook_url: string; event_type: string }[] }>('GET', query);
    const told = log.items.filter((each) => each.event_type === 'classify.pending');
    expect(new Set(told.map((each) => each.webhook_url.split('.')[2])).size).toBe(1);
    expect(told).toHaveLength(Number(told[0]!.webhook_url.split('.')[2]));
  });

  it('treats an empty transaction_id as none', async () => {
    const body = { transaction_id: '', configuration, file_input: await upload('invoice.md', INVOICE) };
    const [one, two] = [await createJob('classify', body), await createJob('classify', body)];
    expect(one.transaction_id).toBeNull();
    expect(two.id).not.toBe(one.id);
  });

  it('does not share a transaction_id with another project', async () => {
    const { key } = await createTenant();
    const transaction_id = crypto.randomUUID();
    const mine = await createJob('classify', {
      transaction_id,
      configuration,
      file_input: await upload('invoice.md', INVOICE),
    });
    const file_input = await upload('invoice.md', INVOICE, { key });
    const theirs = await createJob('classify', { transaction_id, configuration, file_input }, key);
    expect(theirs.id).not.toBe(mine.id);
  });
});

describe('a rejected classify job', () => {
  it.each([
    ['no input', { file_input: undefined }, /exactly one of/],
    ['a file of nobody', { file_input: unknown }, /^File ID .* is not in Project ID/],
    ['a parse job of nobody', { file_input: `pjb-${unknown}` }, /^Parse Job ID .* is not in Project ID/],
    ['no configuration', { configuration: undefined }, /either configuration or configuration_id/],
  ])('answers 400 with the reason: %s', async (_, change, detail) => {
    const body = { file_input: await upload('invoice.md', INVOICE), configuration, ...change };
    const answer = await call<{ detail: string }>('POST', PATH, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toMatch(detail);
  });

  it.each([
    [{ rules: [] }],
    [{ rules: [{ type: 'a', description: 'short' }] }],
    [{ rules: [RULES[0], RULES[0]] }],
    [{ rules: RULES, mode: 'SLOW' }],
  ])('answers 422 for the configuration %j', async (wrong) => {
    expect((await call('POST', PATH, { body: { file_input: 'x', configuration: wrong } })).status).toBe(422);
  });
});

describe('the classify operations', () => {
  it('find jobs by ids in every form, for any number of ids', async () => {
    const { key } = await createTenant();
    const file_input = await upload('invoice.md', INVOICE, { key });
    const job = await run('classify', { file_input, configuration: { rules: RULES } }, key);
    const ids = [...Array.from({ length: 150 }, () => crypto.randomUUID()), job.id.slice(4).toUpperCase()];
    const many = ids.map((each) => `job_ids=${each}`).join('&');
    const { status, body } = await call<{ items: JobBody[] }>('GET', `/api/v2/classify?${many}`, { key });
    expect(status).toBe(200);
    expect(body.items.map((each) => each.id)).toEqual([job.id]);
    for (const filter of ['job_ids=', 'status=CANCELLED', `configuration_id=cfg-${crypto.randomUUID()}`]) {
      const none = await call<{ items: JobBody[] }>('GET', `/api/v2/classify?${filter}`, { key });
      expect(none).toMatchObject({ status: 200, body: { items: [] } });
    }
  });

  it('list jobs in pages, cancel only open jobs, and hide jobs of other tenants', async () => {
    const { key } = await createTenant();
    const file_input = await upload('invoice.md', INVOICE, { key });
    const job = await run('classify', { file_input, configuration }, key);
    const page = await call<{ items: JobBody[] }>('GET', `${PATH}?status=COMPLETED&page_size=1`, { key });
    expect(page).toMatchObject({ status: 200, body: { items: [{ id: job.id }], next_page_token: null } });
    expect((await call('GET', `${PATH}?page_size=101`, { key })).status).toBe(422);
    expect((await call('POST', `${PATH}/${job.id}/cancel`, { key })).status).toBe(409);
    expect((await call('GET', `${PATH}/${job.id}`)).status).toBe(404);
    expect((await call('POST', `${PATH}/${job.id}/cancel`)).status).toBe(404);
  });

  it.each([
    ['POST', PATH],
    ['GET', PATH],
    ['GET', `${PATH}/${unknown}`],
    ['POST', `${PATH}/${unknown}/cancel`],
  ])('reject %s %s without a key', async (method, path) => {
    expect((await call(method, path, { key: null, ...(method === 'POST' && { body: {} }) })).status).toBe(
      401,
    );
  });
});
