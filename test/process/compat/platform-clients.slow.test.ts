import { readFileSync } from 'node:fs';
import * as api from '@llamaindex/cloud/api';
import { client as generated } from '@llamaindex/cloud/api';
import LlamaCloud, { NotFoundError, toFile, UnprocessableEntityError } from '@llamaindex/llama-cloud';
import { Validator } from '@seriousme/openapi-schema-validator';
import FirstLlamaCloud from 'llama-cloud-1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharedService } from '../shared-client.ts';
import { until } from './until.ts';

const manual = () => toFile(readFileSync('examples/harbour-manual.pdf'), 'harbour-manual.pdf');
const sink = {
  name: 'vectors',
  sink_type: 'MONGODB_ATLAS',
  component: { mongodb_uri: 'mongodb://store.invalid/', db_name: 'd', collection_name: 'c' },
} as const;
const bucket = {
  name: 'papers',
  source_type: 'S3',
  component: {
    bucket: 'b',
    aws_access_id: 'AK',
    aws_access_secret: 'SK',
    s3_endpoint_url: 'http://store.invalid',
  },
} as const;

const service = new SharedService();
let client: LlamaCloud;
let first: FirstLlamaCloud;

beforeAll(async () => {
  await service.start();
  const options = { apiKey: service.key, baseURL: `${service.base}/compat`, maxRetries: 0 };
  client = new LlamaCloud(options);
  first = new FirstLlamaCloud(options);
  generated.setConfig({
    baseUrl: `${service.base}/compat`,
    headers: { authorization: `Bearer ${service.key}` },
  });
});
afterAll(() => service.end());

const ready = (pipeline: string) => async () =>
  (await client.pipelines.getStatus(pipeline)).status === 'SUCCESS';

/** Returns a name of its own, because a repeated test runs in the same project. */
const uniqueName = (name: string) => `${name} ${crypto.randomUUID()}`;

it('OpenAPI 3.1 description is valid and its references resolve', async () => {
  const validator = new Validator();
  const found = await validator.validate(
    await service.call<Record<string, unknown>>('GET', '/compat/openapi.json'),
  );
  expect(found.errors ?? []).toEqual([]);
  expect(validator.version).toBe('3.1');
  expect(() => validator.resolveRefs()).not.toThrow();
});

describe('@llamaindex/llama-cloud 2', () => {
  it('reads projects with both API versions', async () => {
    const [project] = await client.projects.list();
    expect(await client.projects.get(project!.id)).toMatchObject({ id: project!.id, name: project!.name });
    const page = await client.v2Projects.list();
    expect(page.items.map(({ id }) => id)).toContain(project!.id);
  });

  it('stores data sinks and data sources in client words', async () => {
    const made = await client.dataSinks.create(sink);
    expect(made).toMatchObject({
      sink_type: 'MONGODB_ATLAS',
      component: { db_name: 'd', class_name: 'CloudMongoDBAtlasVectorSearch' },
    });
    const moved = { ...sink.component, collection_name: 'e' };
    await client.dataSinks.update(made.id, { sink_type: 'MONGODB_ATLAS', component: moved });
    expect(await client.dataSinks.get(made.id)).toMatchObject({ component: { collection_name: 'e' } });
    expect((await client.dataSinks.list()).map(({ sink_type }) => sink_type)).toEqual(['MONGODB_ATLAS']);
    await client.dataSinks.delete(made.id);

    const source = await client.dataSources.create(bucket);
    expect(await client.dataSources.get(source.id)).toMatchObject({
      source_type: 'S3',
      component: { bucket: 'b', aws_access_id: 'AK', s3_endpoint_url: 'http://store.invalid' },
    });
    await client.dataSources.delete(source.id);
    await expect(client.dataSources.get(source.id)).rejects.toThrow(NotFoundError);
  });

  it('uploads, indexes and queries a file with its page', async () => {
    const file = await client.files.create({ file: await manual(), purpose: 'user_data' });
    const parameters = { target_pages: '0', gpt4o_mode: true, page_footer_prefix: '--' };
    const made = await client.pipelines.create({
      name: uniqueName('manual'),
      llama_parse_parameters: parameters,
    });
    expect(made.embedding_config).toMatchObject({
      type: 'MANAGED_OPENAI_EMBEDDING',
      component: { model_name: 'openai-text-embedding-3-small' },
    });
    await client.pipelines.files.create(made.id, { body: [{ file_id: file.id }] });
    await until(ready(made.id));
    expect(await client.pipelines.files.getStatus(file.id, { pipeline_id: made.id })).toMatchObject({
      status: 'SUCCESS',
    });
    const members = await client.pipelines.files.list(made.id);
    expect(members.files.map(({ name }) => name)).toEqual(['harbour-manual.pdf']);

    const found = await client.pipelines.retrieve(made.id, { query: 'Who keeps the lighthouse?' });
    expect(found.retrieval_nodes.length).toBeGreaterThan(0);
    // Page 0 in a client request is the first page, the only one that was parsed.
    const labels = found.retrieval_nodes.map(({ node }) => String(node.extra_info?.page_label));
    expect([...new Set(labels)]).toEqual(['1']);
    const screenshots = await client.pipelines.images.listPageScreenshots(file.id);
    expect(screenshots[0]).toMatchObject({ file_id: file.id.replace('dfl-', ''), page_index: 0 });

    await client.pipelines.update(made.id, { llama_parse_parameters: { target_pages: '0-2' } });
    expect((await client.pipelines.get(made.id)).llama_parse_parameters?.target_pages).toBe('0-2');
    const root = await service.call<{ parse_parameters: object }>('GET', `/api/v1/pipelines/${made.id}`);
    expect(root.parse_parameters).toMatchObject({ target_pages: '1-3' });

    await client.pipelines.files.delete(file.id, { pipeline_id: made.id });
    await client.pipelines.delete(made.id);
    await client.files.delete(file.id);
  });

  it('adds and updates documents, and reads their chunks', async () => {
    const pipeline = await client.pipelines.upsert({
      name: uniqueName('notes'),
      transform_config: { mode: 'auto' },
    });
    const note = (text: string) => ({ id: 'bell', text, metadata: { source_type: 'S3', db_uri: 'mine' } });
    await client.pipelines.documents.create(pipeline.id, { body: [note('The bell rings at nine.')] });
    await until(ready(pipeline.id));
    const [edited] = await client.pipelines.documents.create(pipeline.id, {
      body: [note('The bell rings at ten.')],
    });
    expect(edited).toMatchObject({ id: 'bell', metadata: { source_type: 'S3', db_uri: 'mine' } });
    const of = { pipeline_id: pipeline.id };
    await until(async () => {
      const chunks = await client.pipelines.documents.getChunks('bell', of);
      return chunks.some(({ text }) => text?.includes('ten'));
    });
    const listed = await client.pipelines.documents.list(pipeline.id);
    expect(listed.documents.map(({ text }) => text)).toEqual(['The bell rings at ten.']);

    const retriever = await client.retrievers.create({
      name: uniqueName('all'),
      pipelines: [{ name: 'notes', description: 'notes', pipeline_id: pipeline.id }],
    });
    const answer = await client.retrievers.retriever.search(retriever.id, {
      query: 'When does the bell ring?',
    });
    expect(answer.nodes?.[0]?.node).toMatchObject({
      text: 'The bell rings at ten.',
      retriever_id: retriever.id,
    });
    const direct = await client.retrievers.search({
      query: 'When does the bell ring?',
      pipelines: [{ name: 'notes', description: 'notes', pipeline_id: pipeline.id }],
    });
    expect(direct.nodes?.[0]?.node.retriever_id).toEqual(expect.any(String));
    await client.retrievers.delete(retriever.id);
    await client.pipelines.documents.delete('bell', of);
    await client.pipelines.delete(pipeline.id);
  });

  it('reports errors in client words, and unsupported operations permanently', async () => {
    const wrong = client.dataSinks.create({ ...sink, component: { db_name: 'd', collection_name: 'c' } });
    await expect(wrong).rejects.toThrow(UnprocessableEntityError);
    await expect(wrong).rejects.toMatchObject({
      error: { detail: [expect.objectContaining({ loc: ['body', 'component', 'mongodb_uri'] })] },
    });
    await expect(client.get('/api/v1/reports/list')).rejects.toMatchObject({ error: { code: 'not_found' } });
  });

  it('stores configurations and webhook endpoints', async () => {
    const schema = { type: 'object', properties: { total: { type: 'number' } } };
    const saved = await client.configurations.create({
      name: 'invoices',
      parameters: { product_type: 'extract_v2', data_schema: schema, tier: 'agentic_plus' },
    });
    expect(await client.configurations.retrieve(saved.id)).toMatchObject({
      parameters: { tier: 'agentic', data_schema: schema },
    });
    const hook = await client.webhookConfigs.create({
      webhook_url: 'https://hooks.example/',
      webhook_events: ['batch.success', 'parse.success'],
    });
    expect(await client.webhookConfigs.retrieve(hook.id)).toMatchObject({
      webhook_events: ['batch.success', 'parse.success'],
    });
    await client.webhookConfigs.delete(hook.id);
    await client.configurations.delete(saved.id);
  });
});

it('supports llama-cloud 1', async () => {
  const source = await first.dataSources.create(bucket);
  const listed = (await first.dataSources.list()).filter(({ id }) => id === source.id);
  expect(listed.map(({ source_type }) => source_type)).toEqual(['S3']);
  const pipeline = await first.pipelines.upsert({
    name: uniqueName('first'),
    llama_parse_parameters: { azure_openai_endpoint: 'https://models.example', target_pages: '1,3-4' },
  });
  expect(await first.pipelines.get(pipeline.id)).toMatchObject({
    llama_parse_parameters: { azure_openai_endpoint: 'https://models.example', target_pages: '1,3-4' },
  });
  const body = [{ data_source_id: source.id, sync_interval: null }];
  await first.pipelines.dataSources.updateDataSources(pipeline.id, { body });
  const [member] = await first.pipelines.dataSources.getDataSources(pipeline.id);
  expect(member).toMatchObject({ source_type: 'S3', component: { aws_access_id: 'AK' } });
  await first.pipelines.delete(pipeline.id);
});

it('supports the generated functions of @llamaindex/cloud, including chat', async () => {
  const throwOnError = true as const;
  const { data: config } = await api.createEmbeddingModelConfigApiV1EmbeddingModelConfigsPost({
    body: {
      name: 'cloud',
      embedding_config: {
        type: 'AZURE_EMBEDDING',
        component: { azure_deployment: 'd', azure_endpoint: 'https://models.example', api_key: 'k' },
      },
    },
    throwOnError,
  });
  expect(config.embedding_config).toMatchObject({
    type: 'AZURE_EMBEDDING',
    component: { azure_deployment: 'd', azure_endpoint: 'https://models.example' },
  });
  const { data: pipeline } = await api.upsertPipelineApiV1PipelinesPut({
    body: { name: uniqueName('generated'), embedding_config: { type: 'MANAGED_OPENAI_EMBEDDING' } },
    throwOnError,
  });
  const path = { pipeline_id: pipeline.id };
  await api.upsertBatchPipelineDocumentsApiV1PipelinesPipelineIdDocumentsPut({
    path,
    body: [{ id: 'quay', text: 'The north quay is nine metres deep.', metadata: {} }],
    throwOnError,
  });
  await until(ready(pipeline.id));
  const { data: answer } = await api.chatApiV1PipelinesPipelineIdChatPost({
    path,
    body: { messages: [{ role: 'user', content: 'How deep is the north quay?' }] },
    throwOnError,
    parseAs: 'text',
  });
  expect(answer).toContain('nine metres');
  const { data: session } = await api.getPlaygroundSessionApiV1PipelinesPipelineIdPlaygroundSessionGet({
    path,
    throwOnError,
  });
  expect(session.chat_messages?.map((message: { role: string }) => message.role)).toEqual([
    'user',
    'assistant',
  ]);
  const wrong = await api.chatApiV1PipelinesPipelineIdChatPost({
    path,
    body: {
      messages: [{ role: 'user', content: 'How deep?' }],
      data: { llm_parameters: { model_name: 'CLAUDE_4_5_SONNET' } },
    },
  });
  expect(wrong.response.status).toBe(422);
  expect(JSON.stringify(wrong.error)).not.toContain('LLM_MODEL');
  await api.deletePipelineApiV1PipelinesPipelineIdDelete({ path, throwOnError });
});
