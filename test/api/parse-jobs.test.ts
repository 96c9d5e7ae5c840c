import { describe, expect, it, vi } from 'vitest';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { call, upload } from '#test/support/client.ts';
import { dumpDatabase } from '#test/support/dump.ts';
import { INVOICE, type JobBody, run } from '#test/support/jobs.ts';
import { createTenant } from '#test/support/tenants.ts';

const PATH = '/api/v2/parse';
const unknown = '00000000-0000-4000-8000-000000000000';

describe('a parse job', () => {
  it('returns the markdown and the text of its pages on request', async () => {
    const file_id = await upload('invoice.md', INVOICE);
    const job = await run('parse', { file_id });
    expect(job).toMatchObject({ status: 'COMPLETED', file_id, url: null, page_count: 1, attempt: 1 });
    expect(job.markdown).toBeUndefined();
    const { body } = await call<JobBody>('GET', `${PATH}/${job.id}?expand=markdown&expand=text`);
    expect(body.markdown).toMatchObject({
      pages: [{ page_number: 1, markdown: expect.stringMatching(/^# Inv/) }],
    });
    expect(JSON.stringify(body.text)).toContain('INV-2041');
  });

  it('has versions by tier, and "versions" is not a job id', async () => {
    const { status, body } = await call<Record<string, unknown>>('GET', '/api/v2/parse/versions');
    expect(status).toBe(200);
    const tiers = ['agentic', 'agentic_plus', 'cost_effective', 'fast'];
    expect(Object.keys(body).toSorted()).toEqual([...tiers, 'latest'].toSorted());
    for (const tier of tiers) {
      const versions = body[tier] as string[];
      expect(versions.every((version) => /^\d{4}-\d\d-\d\d$/.test(version))).toBe(true);
      expect((body.latest as Record<string, string>)[tier]).toBe(versions.at(-1));
    }
    expect((await call('DELETE', '/api/v2/parse/versions')).status).toBe(404);
  });

  it('masks the secrets in its parameters', async () => {
    const configuration = { premium_llm_api_key: 'Pl4nted', page_prefix: 'P' };
    const job = await run('parse', { file_id: await upload('invoice.md', INVOICE), configuration });
    expect(job.configuration).toEqual({ premium_llm_api_key: '********', page_prefix: 'P' });
  });

  it('fetches a signed URL unchanged, and neither shows nor stores its signature', async () => {
    const asked: string[] = [];
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      asked.push(input instanceof Request ? input.url : String(input));
      return new Response('# A report', { headers: { 'content-type': 'text/markdown' } });
    });
    const url = 'https://93.184.215.14/report.md?X-Amz-Credential=Pl4nted&X-Amz-Signature=Pl4nted2';
    const job = await run('parse', { url }).finally(() => vi.restoreAllMocks());
    // Background work of the service may send other requests at the same time.
    expect(asked.filter((each) => each.includes('report.md'))).toEqual([url]);
    expect(job).toMatchObject({
      status: 'COMPLETED',
      url: 'https://93.184.215.14/report.md?X-Amz-Credential=********&X-Amz-Signature=********',
    });
    expect(await dumpDatabase()).not.toContain('Pl4nted2');
  });

  it('fetches the URL from inline or saved parameters, and hides its secrets', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(
      async () => new Response('# A report', { headers: { 'content-type': 'text/markdown' } }),
    );
    const input_url = 'https://93.184.215.14/report.md?X-Amz-Signature=Pl4nted3';
    const parameters = { product_type: 'parse_v2', input_url };
    const saved = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      body: { name: crypto.randomUUID(), parameters },
    });
    const bodies = [{ configuration: { input_url } }, { configuration_id: saved.body.id }];
    const jobs = await Promise.all(bodies.map((body) => run('parse', body))).finally(() =>
      vi.restoreAllMocks(),
    );
    for (const job of jobs) {
      const shown = 'https://93.184.215.14/report.md?X-Amz-Signature=********';
      expect(job).toMatchObject({ status: 'COMPLETED', url: shown, file_id: expect.any(String) });
      expect(job.configuration).toEqual({ input_url: shown });
      const { body } = await call('GET', `${PATH}/${job.id}?expand=text`);
      expect(JSON.stringify(body)).toContain('A report');
    }
    expect(await dumpDatabase()).not.toContain('Pl4nted3');
    const guarded = await run('parse', { configuration: { input_url: 'http://10.0.0.1/x.pdf' } });
    expect(guarded).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('not public'),
    });
  });

  it.each([
    [{ file_id: unknown, configuration: { input_url: 'https://h.example/a' } }, 'input_url', 'file_id'],
    [{ url: 'https://h.example/b', configuration: { input_url: 'https://h.example/a' } }, 'input_url', 'url'],
    [{ url: 'https://h.example/b', configuration: { http_proxy: 'p.example:3128' } }, 'http_proxy', 'proxy'],
    [{ configuration: { input_url: 'https://h.example/a', http_proxy: 'p:1' } }, 'http_proxy', 'proxy'],
  ])('rejects parameters that contradict the input: %j', async (body, name, word) => {
    const answer = await call<{ detail: { loc: string[]; msg: string }[] }>('POST', PATH, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'configuration', name] });
    expect(answer.body.detail[0]!.msg).toContain(word);
  });

  it('warns about misplaced fields, and answers 404 for an invalid id', async () => {
    const file_id = await upload('invoice.md', INVOICE);
    const body = { file_id, tier: 'agentic', page_ranges: { target_pages: '1' } };
    const answer = await call<{ warnings?: { field: string }[] }>('POST', PATH, { body });
    expect(answer.status).toBe(200);
    expect(answer.body.warnings?.map(({ field }) => field)).toEqual(['tier', 'page_ranges']);
    for (const id of ['nonsense', 'pjb-1', '(a+)+$', `ext-${unknown}`]) {
      expect((await call('GET', `${PATH}/${encodeURIComponent(id)}`)).status).toBe(404);
    }
  });

  it('fails with the reason', async () => {
    const job = await run('parse', { file_id: await upload('broken.pdf', '%PDF-1.4 nothing') });
    expect(job).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining('PDF_IS_BROKEN') });
    const fetched = await run('parse', { url: 'http://10.0.0.1/x.pdf' });
    expect(fetched).toMatchObject({ status: 'FAILED', error_message: expect.stringContaining('not public') });
  });

  it('fails without a retry if the parse exceeds its time limit', async () => {
    const pages = Array.from({ length: 60 }, () => ({ content: text(50, 700, crypto.randomUUID()) }));
    const file_id = await upload('pages.pdf', buildPdf({ pages }));
    // No machine can read a page in this time.
    const ofPage = { job_timeout_extra_time_per_page_in_seconds: 1e-6 };
    const job = await run('parse', { file_id, configuration: { job_timeout_in_seconds: 1e-6, ...ofPage } });
    expect(job).toMatchObject({
      status: 'FAILED',
      attempt: 1,
      error_message: expect.stringMatching(
        /^TIMEOUT: .* s that job_timeout_in_seconds and job_timeout_extra_time_per_page_in_seconds allow 60 pages/,
      ),
    });
    const warned = await call<{ warnings?: { field: string }[] }>('POST', PATH, {
      body: { file_id, configuration: ofPage },
    });
    expect(warned.body.warnings?.map(({ field }) => field)).toEqual([
      `configuration.${Object.keys(ofPage)[0]}`,
    ]);
  });

  it.each([
    [{}, 400],
    [{ file_id: unknown }, 400],
    [{ file_id: unknown, url: 'https://example.com/x' }, 400],
    [{ url: 'ftp://example.com/x' }, 422],
    [{ file_id: 'x', configuration: { max_pages: 'all' } }, 422],
    [{ file_id: unknown, configuration_id: `cfg-${unknown}` }, 404],
  ])('is rejected for %j', async (body, status) => {
    expect((await call('POST', PATH, { body })).status).toBe(status);
  });

  it('can be listed, deleted and cancelled only by its tenant', async () => {
    const { key } = await createTenant();
    const job = await run('parse', { file_id: await upload('a.txt', 'alpha', { key }) }, key);
    const page = await call<{ items: JobBody[] }>('GET', PATH, { key });
    expect(page.body.items.map(({ id }) => id)).toEqual([job.id]);
    expect((await call('POST', `${PATH}/${job.id}/cancel`, { key })).status).toBe(409);
    for (const [method, path] of [
      ['GET', `${PATH}/${job.id}`],
      ['DELETE', `${PATH}/${job.id}`],
      ['POST', `${PATH}/${job.id}/cancel`],
    ] as const) {
      expect((await call(method, path)).status).toBe(404);
    }
    expect(await call('DELETE', `${PATH}/${job.id}`, { key })).toMatchObject({ status: 200, body: {} });
    expect((await call('GET', `${PATH}/${job.id}`, { key })).status).toBe(404);
  });

  it.each([
    ['POST', PATH],
    ['GET', PATH],
    ['GET', `${PATH}/${unknown}`],
    ['DELETE', `${PATH}/${unknown}`],
    ['POST', `${PATH}/${unknown}/cancel`],
  ])('rejects %s %s without a key', async (method, path) => {
    expect((await call(method, path, { key: null, ...(method === 'POST' && { body: {} }) })).status).toBe(
      401,
    );
  });
});
