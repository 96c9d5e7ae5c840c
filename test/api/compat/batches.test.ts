import { env } from 'cloudflare:workers';
import { NotFoundError } from '@llamaindex/llama-cloud';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBatch, EXTRACTION, untilBatchEnds, uploadInvoices } from '#test/support/batches.ts';
import { call } from '#test/support/client.ts';
import { RULES } from '#test/support/jobs.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

let tenant: Tenant;
let clients: ReturnType<typeof createNpmClients>;
let fileIds: string[];
/** Directory with the first two of three files. */
let directoryId: string;

beforeAll(async () => {
  tenant = await createTenant();
  clients = createNpmClients(tenant.key);
  fileIds = (await uploadInvoices(tenant, 3)).map((id) => `dfl-${id}`);
  directoryId = (await clients.client.beta.directories.create({ name: 'Invoices' })).id;
  for (const file_id of fileIds.slice(0, 2))
    await clients.client.beta.directories.files.add(directoryId, { file_id });
});

async function collectAll<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of pages) found.push(item);
  return found;
}
const save = async (parameters: object): Promise<string> =>
  (
    await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
      key: tenant.key,
      body: { name: `saved ${crypto.randomUUID()}`, parameters },
    })
  ).body.id;

describe('batches of the npm client', () => {
  it.each([
    ['parse_v2', { tier: 'fast', version: 'latest' }],
    ['parse_v2', 'cfg-PARSE_FAST'],
    ['extract_v2', EXTRACTION],
    ['classify_v2', { rules: RULES }],
  ])('run %s jobs over a directory', async (name, settings) => {
    const { batches } = clients.client;
    const type = name as 'parse_v2';
    const configuration_id =
      typeof settings === 'string' ? settings : await save({ product_type: name, ...settings });
    const made = await batches.create({
      source_directory_id: directoryId,
      config: { job: { type, configuration_id } },
    });
    expect(made).toMatchObject({
      ...{ id: expect.stringMatching(/^bat-/), project_id: tenant.projectId, status: 'PENDING' },
      ...{ source_directory_id: directoryId, config: { job: { type, configuration_id } }, results: null },
    });
    await untilBatchEnds(tenant, made.id);
    expect(await batches.get(made.id)).toMatchObject({ status: 'COMPLETED', results: null });
    const { results } = await batches.get(made.id, { expand: ['results'] });
    expect(results?.map((each) => each.source_directory_file_id)).toEqual(fileIds.slice(0, 2));
    const [first] = results!;
    expect(first).toMatchObject({ job_reference: { type }, error_message: null });
    const kind = type.slice(0, -3);
    const job = await call('GET', `/api/v2/${kind}/${first!.job_reference!.id}`, { key: tenant.key });
    expect(job.body).toMatchObject({ status: 'COMPLETED' });
  });

  it('are listed by directory, status and time, and cancelled', async () => {
    const { batches, beta } = clients.client;
    const other = await beta.directories.create({ name: 'Other' });
    await expect(
      batches.create({
        source_directory_id: other.id,
        config: { job: { type: 'parse_v2', configuration_id: 'cfg-PARSE_FAST' } },
      }),
    ).rejects.toMatchObject({ status: 400 });
    await beta.directories.files.add(other.id, { file_id: fileIds[2]! });
    const create = () =>
      batches.create({
        source_directory_id: other.id,
        config: { job: { type: 'parse_v2', configuration_id: 'cfg-PARSE_FAST' } },
      });
    const [first, second] = [await create(), await create()];
    for (const { id } of [first, second]) await untilBatchEnds(tenant, id);
    const list = async (query: object) =>
      (await collectAll(batches.list({ page_size: 1, ...query }))).map(({ id }) => id);
    const source_directory_id = other.id;
    expect(await list({ source_directory_id })).toEqual([second.id, first.id]);
    expect(await list({ source_directory_id, status: 'COMPLETED' })).toEqual([second.id, first.id]);
    expect(await list({ source_directory_id, status: 'THROTTLED' })).toEqual([]);
    expect(await list({ created_at_on_or_after: '2999-01-01T00:00:00Z' })).toEqual([]);
    const stopped = await create();
    await batches.cancel(stopped.id);
    await untilBatchEnds(tenant, stopped.id);
    expect(['CANCELLED', 'COMPLETED']).toContain((await batches.get(stopped.id)).status);
    const { client } = createNpmClients((await createTenant()).key);
    await expect(client.batches.get(first.id)).rejects.toThrow(NotFoundError);
    const missing = { type: 'extract_v2', configuration_id: 'cfg-PARSE_FAST' } as const;
    await expect(batches.create({ source_directory_id, config: { job: missing } })).rejects.toThrow(
      NotFoundError,
    );
  });
});

describe('batches of release 1.6', () => {
  it('parse the files of a directory, with the state and the results of each file', async () => {
    const { batch } = clients.first.beta;
    const made = await batch.create({
      directory_id: directoryId,
      job_config: { job_name: 'parse_raw_file_job', parameters: { target_pages: '0', page_prefix: 'P' } },
    });
    expect(made).toMatchObject({
      ...{ directory_id: directoryId, job_type: 'parse', status: 'pending', total_items: 2 },
      ...{ processed_items: 0, completed_at: null },
    });
    await untilBatchEnds(tenant, made.id);
    expect(await batch.getStatus(made.id)).toMatchObject({
      job: { status: 'completed', processed_items: 2, failed_items: 0, skipped_items: 0 },
      progress_percentage: 100,
    });
    const items = await collectAll(batch.jobItems.list(made.id, { limit: 1 }));
    expect(items).toMatchObject(
      fileIds.slice(0, 2).map((item_id, at) => ({
        ...{ item_id, item_name: `invoice-${at + 1}.md`, status: 'completed', error_message: null },
        ...{ job_id: expect.stringMatching(/^pjb-/), completed_at: expect.any(String) },
      })),
    );
    expect(await collectAll(batch.jobItems.list(made.id, { status: 'failed' }))).toEqual([]);
    const { processing_results, ...file } = await batch.jobItems.getProcessingResults(fileIds[0]!, {
      job_type: 'parse',
    });
    expect(file).toEqual({ item_id: fileIds[0], item_name: 'invoice-1.md' });
    expect(processing_results?.find(({ result_id }) => result_id === items[0]!.job_id)).toMatchObject({
      ...{ item_id: fileIds[0], job_type: 'parse', output_s3_path: `/api/v2/parse/${items[0]!.job_id}` },
      job_config: { job_name: 'parse_raw_file_job', parameters: { target_pages: '0', page_prefix: 'P' } },
    });
  });

  it('classify named files, and are found by directory, kind and status', async () => {
    const { batch } = clients.first.beta;
    const job_config = {
      rules: RULES,
      ...{ id: crypto.randomUUID(), project_id: tenant.projectId, user_id: 'u', status: 'PENDING' as const },
      parsing_configuration: { max_pages: 1, target_pages: [0] },
    };
    const made = await batch.create({ item_ids: [fileIds[2]!], job_config });
    expect(made).toMatchObject({ job_type: 'classify', directory_id: null, total_items: 1 });
    await untilBatchEnds(tenant, made.id);
    const list = async (query: object) =>
      (await collectAll(batch.list({ limit: 1, ...query }))).map(({ id }) => id);
    expect(await list({ job_type: 'classify', status: 'completed' })).toContain(made.id);
    expect(await list({ directory_id: directoryId })).not.toContain(made.id);
    expect(await list({ status: 'dispatched' })).toEqual([]);
    const { processing_results } = await batch.jobItems.getProcessingResults(fileIds[2]!);
    expect(processing_results?.find(({ job_type }) => job_type === 'classify')).toMatchObject({
      job_config: { rules: RULES, parsing_configuration: { max_pages: 1, target_pages: [0] } },
    });
    const cancelled = await batch.cancel(made.id, { reason: 'Too late' });
    expect(cancelled).toMatchObject({ job_id: made.id, status: 'completed', processed_items: 1 });
    expect(cancelled.message).toContain('Too late');
    const both = { ...job_config, parameters: {} };
    await expect(batch.create({ item_ids: [fileIds[2]!], job_config: both })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('belong to their project, and so do their files', async () => {
    const { batch } = createNpmClients((await createTenant()).key).first.beta;
    const made = await createBatch(tenant, { job_type: 'parse', directory_id: directoryId });
    await expect(batch.getStatus(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(batch.jobItems.list(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(batch.jobItems.getProcessingResults(fileIds[0]!)).rejects.toMatchObject({ status: 404 });
    await expect(batch.create({ directory_id: directoryId, job_config: {} })).rejects.toMatchObject({
      status: 404,
    });
    await expect(batch.create({ item_ids: [fileIds[0]!], job_config: {} })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('do not find a directory that has expired', async () => {
    const { id } = await clients.client.beta.directories.create({ name: 'Yesterday', type: 'ephemeral' });
    await clients.client.beta.directories.files.add(id, { file_id: fileIds[0]! });
    const { batch } = clients.first.beta;
    expect((await batch.create({ directory_id: id, job_config: {} })).id).toBeTruthy();
    await env.DB.prepare('update directories set expires_at = ? where id = ?')
      .bind(Date.now() - 1, id)
      .run();
    const starting = batch.create({ directory_id: id, job_config: {} });
    await expect(starting).rejects.toMatchObject({ status: 404 });
  });
});
