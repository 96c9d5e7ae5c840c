/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import { OPENAI_OPERATIONS } from '#src/api/openai/operations.ts';
import type { Operation } from '#src/api/operation/operation-types.ts';
import { OPERATIONS } from '#src/api/operations.ts';
import { call } from '#test/support/client.ts';
import { INVOICE_SCHEMA } from '#test/support/jobs.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { documentedFields, marked } from '#test/support/without-effect.ts';

interface Warned {
  warnings?: { field: string; reason: string }[];
}

const [table = ''] = Object.values(
  import.meta.glob<string>('../../docs/reference/fields-without-effect.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

describe('fields without effect', () => {
  it('are exactly those of the documented table, by operation', () => {
    const operations: readonly Operation[] = [...OPERATIONS, ...OPENAI_OPERATIONS];
    const found = operations.flatMap(marked);
    expect(found.toSorted()).toEqual(documentedFields(table).toSorted());
  });

  it('are reported in the response that accepted them', async () => {
    const body = {
      name: crypto.randomUUID(),
      parse_parameters: { internal_is_screenshot_job: true, premium_mode: false, max_pages: 3 },
      sparse_model_config: { model_type: 'splade' },
      tier: 'agentic',
    };
    const answer = await call<Warned>('POST', '/api/v1/pipelines', { body });
    expect(answer.status).toBe(200);
    expect(answer.body.warnings?.map(({ field }) => field)).toEqual([
      'parse_parameters.internal_is_screenshot_job',
      'sparse_model_config.model_type',
      'tier',
    ]);
    expect(answer.headers.get('x-warnings')).toContain('parse_parameters.internal_is_screenshot_job: ');
  });

  it('are reported only for values without effect', async () => {
    const of = async (path: string, body: object) => {
      const answer = await call<Warned>('POST', path, { body });
      expect(answer.status).toBeLessThan(300);
      return answer.body.warnings?.map(({ field }) => field) ?? [];
    };
    const pipeline = (more: object) => of('/api/v1/pipelines', { name: crypto.randomUUID(), ...more });
    const managed_pipeline_id = await createPipeline();
    expect(await pipeline({ pipeline_type: 'PLAYGROUND', managed_pipeline_id })).toEqual([]);
    expect(await pipeline({ pipeline_type: 'PLAYGROUND' })).toEqual(['pipeline_type']);
    expect(await pipeline({ managed_pipeline_id })).toEqual(['managed_pipeline_id']);
    expect(await pipeline({ pipeline_type: 'MANAGED' })).toEqual([]);
    expect(await pipeline({ sparse_model_config: { model_type: 'auto' } })).toHaveLength(1);
    expect(await pipeline({ sparse_model_config: { model_type: 'bm25' } })).toEqual([]);

    const saved = (parameters: object) =>
      of('/api/v1/beta/configurations', { name: crypto.randomUUID(), parameters });
    const extract = { product_type: 'extract_v2', data_schema: INVOICE_SCHEMA };
    expect(await saved({ ...extract, parse_tier: 'gold' })).toEqual(['parameters.parse_tier']);
    expect(await saved({ ...extract, parse_tier: 'fast', tier: 'agentic' })).toEqual([]);
    const rules = [{ type: 'a', description: 'A description of it.' }];
    const classify = (lang: string) =>
      saved({ product_type: 'classify_v2', rules, parsing_configuration: { lang } });
    expect(await classify('zz')).toEqual(['parameters.parsing_configuration.lang']);
    for (const lang of ['en', 'de', 'zh']) expect(await classify(lang)).toEqual([]);

    const hook = (webhook_events: string[]) =>
      of('/api/v1/beta/webhook-configs', { webhook_url: 'https://h.example', webhook_events });
    expect(await hook(['parse.success', 'batch.running'])).toEqual(['webhook_events']);
    expect(await hook(['parse.success', 'unmapped_event'])).toEqual([]);

    const ask = (type: string) =>
      of('/api/v1/retrievers/retrieve', {
        query: 'a',
        pipelines: [{ name: 'p', description: 'd', pipeline_id: managed_pipeline_id }],
        rerank_config: { type },
      });
    expect(await ask('provider_c')).toEqual(['rerank_config.type']);
    expect(await ask('llm')).toEqual(['rerank_config.type']);
    for (const type of ['system_default', 'score', 'disabled']) expect(await ask(type)).toEqual([]);
  });

  it('include another project in parse parameters', async () => {
    const pipeline = async (method: 'POST' | 'PUT', path: string, project_id: string) => {
      const body = { name: crypto.randomUUID(), parse_parameters: { project_id } };
      const answer = await call<Warned & { id: string; project_id: string }>(method, path, { body });
      expect(answer.status).toBe(200);
      return answer.body;
    };
    const made = await pipeline('POST', '/api/v1/pipelines', 'another');
    expect(made.warnings?.map(({ field }) => field)).toEqual(['parse_parameters.project_id']);
    expect((await pipeline('POST', '/api/v1/pipelines', made.project_id)).warnings).toBeUndefined();
    const path = `/api/v1/pipelines/${made.id}`;
    expect((await pipeline('PUT', path, made.project_id)).warnings).toBeUndefined();
    expect((await pipeline('PUT', path, 'another')).warnings).toHaveLength(1);
  });

  it('are reported for components by their type', async () => {
    const embedding_config = {
      type: 'PROVIDER_G_EMBEDDING',
      component: { api_key: 'k', reuse_client: true, dimensions: 8 },
    };
    const body = { name: crypto.randomUUID(), embedding_config };
    const answer = await call<Warned>('POST', '/api/v1/embedding-model-configs', { body });
    expect(answer.body.warnings?.map(({ field }) => field)).toEqual([
      'embedding_config.component.reuse_client',
    ]);
    const qdrant = { url: 'https://h.example', api_key: 'k', collection_name: 'c' };
    const sink = async (client_kwargs: object) => {
      const component = { ...qdrant, client_kwargs };
      const body = { name: crypto.randomUUID(), sink_type: 'VENDOR_G', component };
      return (await call<Warned>('POST', '/api/v1/data-sinks', { body })).body.warnings;
    };
    expect(await sink({ timeout: 3, prefer_grpc: true })).toEqual([
      { field: 'component.client_kwargs', reason: expect.stringMatching(/timeout.*: prefer_grpc$/) },
    ]);
    expect(await sink({ timeout: 3 })).toBeUndefined();
    const drive = async (component: object) => {
      const body = { name: crypto.randomUUID(), source_type: 'SOURCE_4_DRIVE', component };
      return (await call<Warned>('POST', '/api/v1/data-sources', { body })).body.warnings;
    };
    expect(await drive({ folder_id: 'f', folder_name: 'Reports' })).toMatchObject([
      { field: 'component.folder_name' },
    ]);
    expect(await drive({ folder_id: 'f', folder_name: '' })).toBeUndefined();
    const inline = { component: { ...qdrant, client_kwargs: { grpc: 1 } }, sink_type: 'VENDOR_G', name: 's' };
    const pipeline = await call<Warned>('POST', '/api/v1/pipelines', {
      body: { name: crypto.randomUUID(), data_sink: inline },
    });
    expect(pipeline.body.warnings?.map(({ field }) => field)).toEqual(['data_sink.component.client_kwargs']);
  });

  it('are reported in a header if the response is a list', async () => {
    const pipelineId = await createPipeline();
    const path = `/api/v1/pipelines/${pipelineId}/documents`;
    const body = [{ text: 'A text.', metadata: {}, colour: 'blue' }];
    const answer = await call<unknown[]>('POST', path, { body });
    expect(answer.body).toHaveLength(1);
    expect(answer.headers.get('x-warnings')).toContain('0.colour: ');
  });

  it('are not reported for a request without such fields', async () => {
    const answer = await call<Warned>('POST', '/api/v1/pipelines', { body: { name: crypto.randomUUID() } });
    expect(answer.body.warnings).toBeUndefined();
    expect(answer.headers.has('x-warnings')).toBe(false);
  });
});
