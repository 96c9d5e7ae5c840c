import { beforeAll, describe, expect, it } from 'vitest';
import { untilEnded as untilEndedOrGone } from '#src/api/mcp/jobs.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { upload } from '#test/support/client.ts';
import { createJob, INVOICE_SCHEMA, untilEnded } from '#test/support/jobs.ts';
import { called, callTool, refused } from './agent.ts';
import { callsIn, type Harbour, makeHarbour, nowhere, PAGES } from './harbour.ts';

let harbour: Harbour;
beforeAll(async () => {
  harbour = await makeHarbour();
});

interface Job {
  id: string;
  status: string;
  extract_result?: Record<string, unknown> | unknown[];
  extract_metadata?: { field_metadata: { document_metadata: Record<string, unknown> } };
  result?: { type: string | null };
  next_page_token?: string | null;
}

describe('jobs', () => {
  it('extract returns data with citations', async () => {
    const job = await called<Job>('extract', { ...callsIn(harbour).extract, wait_seconds: 50 });
    expect(job).toMatchObject({
      status: 'COMPLETED',
      extract_result: { invoice_number: 'INV-2041', invoice_date: '2026-03-14', total_due: 1163.4 },
      extract_metadata: {
        field_metadata: {
          document_metadata: {
            invoice_number: { citation: [{ page: 1, matching_text: expect.stringContaining('INV-2041') }] },
          },
        },
      },
    });
    expect(await called<Job>('get_job', { job_id: job.id })).toMatchObject({ ...job, kind: 'extract' });
  });

  it('classify returns a type', async () => {
    const job = await called<Job>('classify', { ...callsIn(harbour).classify, wait_seconds: 50 });
    expect(job).toMatchObject({ status: 'COMPLETED', result: { type: 'invoice' } });
    expect(await called<Job>('get_job', { job_id: job.id })).toMatchObject({ ...job, kind: 'classify' });
  });

  it.each(['extract', 'classify'] as const)(
    '%s returns at once with wait_seconds 0, and get_job returns the result',
    async (name) => {
      const { content, structuredContent } = await callTool<Job>(name, {
        ...callsIn(harbour)[name],
        wait_seconds: 0,
      });
      const { id, status } = structuredContent!;
      expect(status).toBe('PENDING');
      expect(content[0]!.text).toContain(`call get_job with job_id ${id}`);
      await untilEnded(name, id);
      expect(await called<Job>('get_job', { job_id: id })).toMatchObject({ id, status: 'COMPLETED' });
    },
  );

  it('get_job knows parse jobs, and returns long results in pages', async () => {
    const parse = await createJob('parse', { file_id: harbour.files['manual.pdf'] });
    await untilEnded('parse', parse.id);
    expect(await called('get_job', { job_id: parse.id })).toMatchObject({ kind: 'parse', page_count: PAGES });
    const filler = 'x'.repeat(600);
    const rows = Array.from({ length: 200 }, (_, at) => `| Item ${at} ${filler} | ${at} |`);
    const table = ['| name | price |', '| --- | --- |', ...rows].join('\n');
    const file_input = await upload('table.md', `# Prices\n\n${table}\n`);
    const properties = { name: { type: 'string' }, price: { type: 'number' } };
    const data_schema = { type: 'object', properties };
    const begun = await called<Job>('extract', {
      ...{ file_input, data_schema, extraction_target: 'per_table_row', wait_seconds: 50 },
    });
    const prices: unknown[] = [];
    for (let page = begun; ; ) {
      prices.push(...(page.extract_result as { price: number }[]).map(({ price }) => price));
      if (!page.next_page_token) break;
      page = await called<Job>('get_job', { job_id: begun.id, page_token: page.next_page_token });
    }
    expect(begun.next_page_token).toBeTruthy();
    expect(prices).toEqual(rows.map((_, at) => at));
  });

  it('errors name the invalid argument', async () => {
    const told = (name: string, more: object) => refused(name, { ...callsIn(harbour)[name], ...more });
    expect(await told('extract', { data_schema: { type: 'array' } })).toMatch(
      /^bad_request: schema_validation/,
    );
    expect(await told('extract', { wait_seconds: 51 })).toMatch(/^invalid: wait_seconds: /);
    expect(await told('extract', { file_input: nowhere })).toMatch(/File .* not found/);
    expect(await told('classify', { rules: [] })).toMatch(/^invalid: rules: /);
    expect(await told('classify', { file_input: null })).toMatch(/^invalid: file_input: /);
    expect(await refused('get_job', { job_id: nowhere })).toMatch(/^not_found: Job .* not found/);
    expect(await refused('get_job', { job_id: `ext-${nowhere}` })).toMatch(
      /^not_found: Extract job not found/,
    );
  });

  it('waiting ends when the caller disconnects', async () => {
    const begun = { id: 'ext-1', status: 'PENDING' } as ExtractJob;
    const gone = AbortSignal.abort(new Error('the agent left'));
    const waiting = untilEndedOrGone({} as TenantContext, 'extract', begun, 50, gone, async () => {});
    await expect(waiting).rejects.toThrow('left');
  });

  it('are not found by another tenant', async () => {
    const job = await createJob('extract', {
      file_input: harbour.files['invoice.md'],
      configuration: { data_schema: INVOICE_SCHEMA },
    });
    const told = await refused('get_job', { job_id: job.id }, { key: harbour.stranger.key });
    expect(told).toMatch(/^not_found: Extract job not found/);
    await untilEnded('extract', job.id);
  });
});

describe('another tenant', () => {
  it.each(['search', 'ask', 'find_files', 'read_pages', 'extract', 'classify'])(
    'gets "not found" from %s',
    async (name) => {
      const told = await refused(name, callsIn(harbour)[name]!, { key: harbour.stranger.key });
      expect(told).toMatch(/not found|is not in Project ID/);
      expect(told).not.toContain('Strand');
    },
  );

  it('gets "not found" for filtered files and for a retriever', async () => {
    const theirs = { key: harbour.stranger.key };
    const filters = { filters: [] };
    expect(await refused('find_files', { pipeline_id: harbour.pipeline, filters }, theirs)).toMatch(
      /^not_found/,
    );
    for (const [name, asked] of [
      ['search', 'query'],
      ['ask', 'question'],
    ] as const) {
      expect(await refused(name, { retriever_id: harbour.retriever, [asked]: 'x' }, theirs)).toMatch(
        /^not_found/,
      );
    }
  });
});
