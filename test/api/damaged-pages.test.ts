import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, RULES, run } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const DELIVERIES = '/api/v1/beta/webhook-deliveries';
const webhook_configurations = [{ webhook_url: 'http://private.nowhere.example/' }];

/** An archive whose first page is an invoice and whose second page is a damaged PDF. */
const archive = () =>
  zipSync({
    'a-invoice.md': strToU8(`${INVOICE}${crypto.randomUUID()}`),
    'b-broken.pdf': strToU8('%PDF-1.4 nothing'),
  });

async function readLastEvent(key: string, jobId: string): Promise<string | undefined> {
  const { body } = await call<{ items: { event_type: string }[] }>('GET', `${DELIVERIES}?job_id=${jobId}`, {
    key,
  });
  return body.items[0]?.event_type;
}

it.each([
  ['parse', {}],
  ['extract', { configuration: { data_schema: INVOICE_SCHEMA } }],
  ['classify', { configuration: { rules: RULES } }],
] as const)('raises %s.partial_success if a page is damaged', async (product, given) => {
  const { key } = await createTenant();
  const file_id = await upload('papers.zip', archive(), { key });
  const input = product === 'parse' ? { file_id } : { file_input: file_id };
  const job = await run(product, { ...given, ...input, webhook_configurations }, key);
  expect(job).toMatchObject({ status: 'COMPLETED' });
  const event = () => readLastEvent(key, job.id);
  await expect.poll(event, { timeout: PATIENCE_MS }).toBe(`${product}.partial_success`);
  const parse = product === 'parse' ? job.id : (job.parse_job_id ?? job.extract_metadata?.parse_job_id);
  const pages = await call<{ markdown: { pages: object[] } }>(
    'GET',
    `/api/v2/parse/${parse}?expand=markdown`,
    { key },
  );
  expect(pages.body.markdown.pages).toMatchObject([
    { success: true },
    { success: false, error: expect.stringContaining('PDF_IS_BROKEN') },
  ]);
});

it('lists a damaged page in the file status of a pipeline, and sends parse.partial_success', async () => {
  const id = await createPipeline({ parse_parameters: { webhook_configurations } });
  const [file] = await addFiles(id, { 'papers.zip': archive() });
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS' });
  const files = await call<object[]>('GET', `/api/v1/pipelines/${id}/files`);
  expect(JSON.stringify(files.body)).toContain('"pages_failed":[1]');
  const parses = await call<{ items: { id: string; file_id: string }[] }>('GET', '/api/v2/parse');
  const parse = parses.body.items.find(({ file_id }) => file_id === file);
  const log = await call<{ items: { event_type: string }[] }>('GET', `${DELIVERIES}?job_id=${parse?.id}`);
  expect(log.body.items.map(({ event_type }) => event_type)).toEqual(['parse.partial_success']);
});
