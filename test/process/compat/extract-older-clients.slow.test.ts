import * as cloud from '@llamaindex/cloud/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sleep } from '#test/process/service.ts';
import { SharedService } from '#test/process/shared-client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { BLANK, FOUND, INVOICE, RECIPE, RULES, SCHEMA } from './extract-documents.ts';

const service = new SharedService();
let invoice = '';

beforeAll(async () => {
  await service.start();
  invoice = await service.upload('invoice.pdf', INVOICE);
  cloud.client.setConfig({
    baseUrl: `${service.base}/compat`,
    headers: { Authorization: `Bearer ${service.key}` },
    throwOnError: true,
  });
});
afterAll(() => service.end());

async function until<Value>(read: () => Promise<Value>, isDone: (value: Value) => boolean): Promise<Value> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const value = await read();
    if (isDone(value)) return value;
    await sleep(100);
  }
  throw new Error('it did not end');
}

type Sent = { id: string };
const named = (kind: string) => `${kind} ${crypto.randomUUID()}`;

it('generated functions run every operation of agents, jobs and runs', async () => {
  const validated = await cloud.validateExtractionSchemaApiV1ExtractionExtractionAgentsSchemaValidationPost({
    body: { data_schema: SCHEMA },
  });
  expect(validated.data).toMatchObject({ data_schema: { properties: SCHEMA.properties } });
  const generated = await cloud.generateExtractionSchemaApiV1ExtractionExtractionAgentsSchemaGeneratePost({
    body: { file_id: invoice, prompt: 'the total due' },
  });
  expect(JSON.stringify(generated.data)).toContain('total_due');
  const name = named('agent');
  const { data: agent } = await cloud.createExtractionAgentApiV1ExtractionExtractionAgentsPost({
    body: { name, data_schema: SCHEMA, config: { cite_sources: true, priority: 'high' } },
  });
  const path = { extraction_agent_id: agent!.id };
  const read = [
    await cloud.getExtractionAgentApiV1ExtractionExtractionAgentsExtractionAgentIdGet({ path }),
    await cloud.getExtractionAgentByNameApiV1ExtractionExtractionAgentsByNameNameGet({ path: { name } }),
  ];
  expect(read.map(({ data }) => data!.id)).toEqual([agent!.id, agent!.id]);
  const { data: agents } = await cloud.listExtractionAgentsApiV1ExtractionExtractionAgentsGet();
  expect(agents!.map((each: { name: string }) => each.name)).toContain(name);
  const { data: changed } =
    await cloud.updateExtractionAgentApiV1ExtractionExtractionAgentsExtractionAgentIdPut({
      path,
      body: { data_schema: SCHEMA, config: { extraction_mode: 'BALANCED' } },
    });
  expect(changed!.config).toMatchObject({ extraction_mode: 'BALANCED', cite_sources: false });

  const ended = (job_id: string) =>
    until(
      async () => (await cloud.getJobApiV1ExtractionJobsJobIdGet({ path: { job_id } })).data!,
      ({ status }) => status !== 'PENDING',
    );
  const { data: job } = await cloud.runJobApiV1ExtractionJobsPost({ body: { ...path, file_id: invoice } });
  expect(await ended(job!.id)).toMatchObject({
    status: 'SUCCESS',
    file: { id: invoice, name: 'invoice.pdf' },
  });
  const { data: result } = await cloud.getJobResultApiV1ExtractionJobsJobIdResultGet({
    path: { job_id: job!.id },
  });
  expect(result!.data).toEqual(FOUND);
  const { data: sent } = await cloud.runJobOnFileApiV1ExtractionJobsFilePost({
    body: { ...path, file: new File([INVOICE], 'sent.pdf') },
  });
  expect(await ended(sent!.id)).toMatchObject({ status: 'SUCCESS', file: { name: 'sent.pdf' } });
  const { data: batch } = await cloud.runBatchJobsApiV1ExtractionJobsBatchPost({
    body: { ...path, file_ids: [invoice, sent!.file.id] },
  });
  expect(
    (await Promise.all(batch!.map(({ id }: Sent) => ended(id)))).map((each: { file: Sent }) => each.file.id),
  ).toEqual([invoice, sent!.file.id]);
  const { data: jobs } = await cloud.listJobsApiV1ExtractionJobsGet({ query: path });
  expect(new Set(jobs!.map(({ id }: Sent) => id))).toEqual(
    new Set([job!.id, sent!.id, ...batch!.map(({ id }: Sent) => id)]),
  );
  const { data: runs } = await cloud.listExtractRunsApiV1ExtractionRunsGet({
    query: { ...path, skip: 3, limit: 5 },
  });
  expect(runs).toMatchObject({ total: 4, skip: 3, limit: 5, items: [{ job_id: job!.id, data: FOUND }] });
  const { data: latest } = await cloud.getLatestRunFromUiApiV1ExtractionRunsLatestFromUiGet({ query: path });
  expect(latest).toBeNull();
  const { data: run } = await cloud.getRunByJobIdApiV1ExtractionRunsByJobJobIdGet({
    path: { job_id: job!.id },
  });
  expect((await cloud.getRunApiV1ExtractionRunsRunIdGet({ path: { run_id: run!.id } })).data).toEqual(run);
  await cloud.deleteExtractionRunApiV1ExtractionRunsRunIdDelete({ path: { run_id: run!.id } });
  await cloud.deleteExtractionAgentApiV1ExtractionExtractionAgentsExtractionAgentIdDelete({ path });
  // Jobs remain after their agent is deleted.
  expect(await ended(sent!.id)).toMatchObject({ extraction_agent: { id: agent!.id } });
});

/** Members that the models of the Python client require, with their types. */
describe('calls of the Python classes', () => {
  const status = z.enum(['PENDING', 'SUCCESS', 'ERROR', 'PARTIAL_SUCCESS', 'CANCELLED']);
  const object = z.record(z.string(), z.unknown());
  const moment = z.iso.datetime({ offset: true }).nullish();
  const file = z.object({ id: z.string(), name: z.string(), project_id: z.string(), created_at: moment });
  const config = z.object({
    extraction_mode: z.enum(['FAST', 'BALANCED', 'PREMIUM', 'MULTIMODAL']).optional(),
    extraction_target: z.enum(['PER_DOC', 'PER_PAGE', 'PER_TABLE_ROW']).optional(),
    chunk_mode: z.enum(['PAGE', 'SECTION']).optional(),
    system_prompt: z.string().nullish(),
    page_range: z.string().nullish(),
    cite_sources: z.boolean().optional(),
    citation_bbox: z.boolean().optional(),
    confidence_scores: z.boolean().optional(),
    high_resolution_mode: z.boolean().optional(),
  });
  const agent = z.object({
    id: z.string(),
    name: z.string(),
    project_id: z.string(),
    data_schema: object,
    config,
    created_at: moment,
  });
  const job = z.object({
    id: z.string(),
    extraction_agent: agent,
    status,
    error: z.string().nullish(),
    file,
  });
  const run = z.object({
    id: z.string(),
    created_at: moment,
    project_id: z.string(),
    extraction_agent_id: z.string(),
    data_schema: object,
    config,
    file,
    status: z.enum(['CREATED', 'PENDING', 'SUCCESS', 'ERROR']),
    error: z.string().nullish(),
    job_id: z.string().nullish(),
    data: z.union([object, z.array(object)]).nullish(),
    extraction_metadata: object.nullish(),
    from_ui: z.boolean(),
  });
  const runsPage = z.object({ items: z.array(run), total: z.int(), skip: z.int(), limit: z.int() });
  const classifyJob = z.object({
    id: z.string(),
    status,
    project_id: z.string(),
    user_id: z.string(),
    rules: z.array(z.object({ type: z.string(), description: z.string() })),
    effective_at: moment,
    created_at: moment,
  });
  const classified = z.object({
    items: z.array(
      z.object({
        id: z.string(),
        classify_job_id: z.string(),
        file_id: z.string(),
        result: z
          .object({ reasoning: z.string(), confidence: z.number(), type: z.string().nullable() })
          .nullish(),
      }),
    ),
    next_page_token: z.string().nullish(),
    total_size: z.int().nullish(),
  });

  const ask = async <Model extends z.ZodType>(model: Model, method: string, path: string, body?: unknown) =>
    model.parse(await service.call(method, `/compat/api/v1${path}`, body));
  const upload = async (name: string, content: string | Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.append('upload_file', new File([content], name));
    return ask(file, 'POST', '/files', form);
  };
  const readResult = async (id: string) => {
    const ended = await until(
      () => ask(job, 'GET', `/extraction/jobs/${id}`),
      (each) => each.status !== 'PENDING',
    );
    return { ended, found: await ask(run, 'GET', `/extraction/runs/by-job/${id}`) };
  };

  it('extract several files with an agent and return its schema and configuration', async () => {
    const { data_schema } = await ask(
      z.object({ data_schema: object }),
      'POST',
      '/extraction/extraction-agents/schema/validation',
      { data_schema: SCHEMA },
    );
    const made = await ask(agent, 'POST', '/extraction/extraction-agents', {
      name: named('agent'),
      data_schema,
      config: { extraction_target: 'PER_DOC', extraction_mode: 'MULTIMODAL', cite_sources: true },
    });
    const files = [await upload('invoice.pdf', INVOICE), await upload('blank.pdf', BLANK)];
    const overrides = { data_schema_override: made.data_schema, config_override: made.config };
    const jobs = await Promise.all(
      files.map(({ id }) =>
        ask(job, 'POST', '/extraction/jobs', {
          extraction_agent_id: made.id,
          file_id: id,
          ...overrides,
        }),
      ),
    );
    const good = await readResult(jobs[0]!.id);
    expect(good).toMatchObject({ ended: { status: 'SUCCESS' }, found: { status: 'SUCCESS', data: FOUND } });
    expect(good.found.config).toEqual(made.config);
    const metadata = good.found.extraction_metadata!.field_metadata as Record<string, unknown>;
    expect(metadata.total_due).toMatchObject({ citation: [{ page: 1, matching_text: '1,163.40 EUR' }] });
    const bad = await readResult(jobs[1]!.id);
    expect(bad).toMatchObject({ ended: { status: 'ERROR' }, found: { status: 'ERROR', data: null } });
    expect(bad.ended.error).toContain('The pages');
    expect(bad.found.error).toBe(bad.ended.error);

    const page = await ask(
      runsPage,
      'GET',
      `/extraction/runs?extraction_agent_id=${made.id}&skip=0&limit=100`,
    );
    expect(page).toMatchObject({ total: 2, skip: 0, limit: 100 });
    const saved = await ask(agent, 'PUT', `/extraction/extraction-agents/${made.id}`, {
      data_schema,
      config: made.config,
    });
    expect(saved.config).toEqual(made.config);
    await ask(z.object({}), 'DELETE', `/extraction/runs/${good.found.id}`);
    await ask(z.object({}), 'DELETE', `/extraction/extraction-agents/${made.id}`);
  });

  it('extract from bytes and from text without an agent', async () => {
    const data = Buffer.from(INVOICE).toString('base64');
    for (const source of [
      { file: { data, mime_type: 'application/pdf' } },
      { text: 'Total due: 7.50 EUR' },
    ]) {
      const started = await ask(job, 'POST', '/extraction/run', {
        data_schema: SCHEMA,
        config: {},
        ...source,
      });
      const { found } = await readResult(started.id);
      expect(found).toMatchObject({ data: { total_due: 'file' in source ? 1163.4 : 7.5 } });
    }
  });

  it('classify uploaded files', async () => {
    const files = [await upload('recipe.txt', RECIPE), await upload('invoice.pdf', INVOICE)];
    const { id } = await ask(classifyJob, 'POST', '/classifier/jobs', {
      rules: RULES,
      file_ids: files.map((each) => each.id),
    });
    await until(
      () => ask(classifyJob, 'GET', `/classifier/jobs/${id}`),
      (each) => each.status !== 'PENDING',
    );
    const { items } = await ask(classified, 'GET', `/classifier/jobs/${id}/results`);
    expect(items.map(({ file_id, result }) => [file_id, result!.type])).toEqual([
      [files[0]!.id, 'recipe'],
      [files[1]!.id, 'invoice'],
    ]);
  });
});
