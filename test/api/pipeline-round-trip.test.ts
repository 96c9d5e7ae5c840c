import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';

type Body = Record<string, unknown> & { id: string };

const PATH = '/api/v1/pipelines';
const named = () => `thing ${crypto.randomUUID()}`;
const sink = () => ({
  name: named(),
  sink_type: 'VENDOR_C',
  component: { uri: 'https://h.example', token: 'a secret token' },
});
const embedding = {
  type: 'PROVIDER_C_EMBEDDING',
  component: { api_key: 'a secret key', model_name: 'embed-english-v3.0' },
};

async function made(place: string, body: object): Promise<Body> {
  const answer = await call<Body>('POST', place, { body });
  if (answer.status > 201) throw new Error(`${place}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const newSink = () => made('/api/v1/data-sinks', sink());
const newModel = () =>
  made('/api/v1/embedding-model-configs', { name: named(), embedding_config: embedding });

async function everyMember(): Promise<Record<string, unknown>> {
  return {
    data_sink_id: (await newSink()).id,
    embedding_model_config_id: (await newModel()).id,
    managed_pipeline_id: await createPipeline(),
    metadata_config: { excluded_embed_metadata_keys: ['a'], excluded_llm_metadata_keys: ['b'] },
    parse_parameters: { target_pages: '1-3', page_separator: '\n---\n' },
    pipeline_type: 'PLAYGROUND',
    preset_retrieval_parameters: { dense_similarity_top_k: 7, alpha: 0.25, enable_reranking: false },
    sparse_model_config: { model_type: 'auto' },
    transform_config: {
      mode: 'advanced',
      segmentation_config: { mode: 'page' },
      chunking_config: { mode: 'sentence', chunk_size: 99 },
    },
  };
}

const stored = (id: string) =>
  env.DB.prepare('select * from pipelines where id = ?').bind(id).first<Record<string, unknown>>();
/** Columns that are sealed again with every write. The masked response is compared instead. */
const SEALED = new Set(['embedding_config', 'parse_parameters', 'updated_at']);
const comparable = (row: Record<string, unknown> | null) =>
  Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => !SEALED.has(name)));
const read = async (id: string) => (await call<Body>('GET', `${PATH}/${id}`)).body;

describe('the response of a pipeline', () => {
  it.each([
    ['with every member', everyMember],
    ['with an embedding of its own', async () => ({ embedding_config: embedding })],
    ['with an inline sink', async () => ({ data_sink: sink() })],
    ['with nothing', async () => ({})],
  ])('%s can be sent back without any change', async (_, configuration) => {
    const id = await createPipeline(await configuration());
    const before = await read(id);
    const row = comparable(await stored(id));
    const sinks = (await call<Body[]>('GET', '/api/v1/data-sinks')).body.length;
    const [updated, upserted] = [
      await call<Body>('PUT', `${PATH}/${id}`, { body: before }),
      await call<Body>('PUT', PATH, { body: before }),
    ];
    expect([updated.status, upserted.status]).toEqual([200, 200]);
    const after = await read(id);
    expect({ ...after, updated_at: '' }).toEqual({ ...before, updated_at: '' });
    expect(comparable(await stored(id))).toEqual(row);
    expect((await call<Body[]>('GET', '/api/v1/data-sinks')).body).toHaveLength(sinks);
  });

  it('keeps its secrets when it is sent back', async () => {
    const id = await createPipeline({ embedding_config: embedding });
    const body = await read(id);
    expect(JSON.stringify(body)).not.toContain('a secret key');
    await call('PUT', `${PATH}/${id}`, { body });
    expect((await read(id)).embedding_config).toEqual(body.embedding_config);
    // An empty component keeps no fields, and its type requires a key.
    const emptied = { ...body, embedding_config: { type: embedding.type, component: {} } };
    expect((await call<Body>('PUT', `${PATH}/${id}`, { body: emptied })).status).toBe(422);
    expect((await read(id)).embedding_config).toEqual(body.embedding_config);
  });

  it('includes the data sink, which cannot be changed through the pipeline', async () => {
    const { id: data_sink_id } = await newSink();
    const id = await createPipeline({ data_sink_id });
    const { data_sink } = await read(id);
    const renamed = { data_sink: { ...(data_sink as object), name: 'another name' } };
    const refused = await call('PUT', `${PATH}/${id}`, { body: renamed });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).toContain('differs from the data sink');
    const unknown = { data_sink: { ...(data_sink as object), id: crypto.randomUUID() } };
    expect((await call('PUT', `${PATH}/${id}`, { body: unknown })).status).toBe(404);
  });
});

describe('an id of an embedding model config', () => {
  it('takes precedence over an embedding config in the same request', async () => {
    const model = await newModel();
    const other = { type: 'PROVIDER_F_EMBEDDING', component: {} };
    const body = { name: named(), embedding_model_config_id: model.id, embedding_config: other };
    const pipeline = await made(PATH, body);
    expect(pipeline).toMatchObject({
      embedding_model_config_id: model.id,
      embedding_config: { type: 'PROVIDER_C_EMBEDDING' },
    });
  });
});

describe('null in an update of a pipeline', () => {
  it('detaches optional references, and an omitted field keeps its value', async () => {
    const id = await createPipeline(await everyMember());
    const before = await read(id);
    expect((await call<Body>('PUT', `${PATH}/${id}`, { body: {} })).body).toMatchObject({
      data_sink: before.data_sink,
      managed_pipeline_id: before.managed_pipeline_id,
      embedding_model_config_id: before.embedding_model_config_id,
      metadata_config: before.metadata_config,
    });
    for (const [member, shown] of [
      ['data_sink_id', 'data_sink'],
      ['managed_pipeline_id', 'managed_pipeline_id'],
      ['embedding_model_config_id', 'embedding_model_config_id'],
      ['metadata_config', 'metadata_config'],
    ] as const) {
      const answer = await call<Body>('PUT', `${PATH}/${id}`, { body: { [member]: null } });
      expect([answer.status, answer.body[shown]], member).toEqual([200, null]);
      expect((await read(id))[shown], member).toBeNull();
    }
    expect((await read(id)).embedding_config).toMatchObject({ type: 'PROVIDER_F_EMBEDDING' });
    const kept = { embedding_config: null, transform_config: null, parse_parameters: null, name: null };
    const { transform_config, parse_parameters, name } = before;
    expect((await call<Body>('PUT', `${PATH}/${id}`, { body: kept })).body).toMatchObject({
      transform_config,
      parse_parameters,
      name,
    });
  });

  it('detaches a data sink, which can then be deleted', async () => {
    const { id: data_sink_id } = await newSink();
    const id = await createPipeline({ data_sink_id });
    expect((await call('DELETE', `/api/v1/data-sinks/${data_sink_id}`)).status).toBe(409);
    const body = { ...(await read(id)), data_sink: null };
    expect((await call<Body>('PUT', `${PATH}/${id}`, { body })).body.data_sink).toBeNull();
    expect((await call('DELETE', `/api/v1/data-sinks/${data_sink_id}`)).status).toBe(204);
  });
});

describe('a managed pipeline that has been deleted', () => {
  it('does not prevent an update of the pipeline', async () => {
    const managed_pipeline_id = await createPipeline();
    const id = await createPipeline({ managed_pipeline_id });
    expect((await call('POST', `${PATH}/${managed_pipeline_id}/force-delete`)).status).toBe(204);
    expect((await call('PUT', `${PATH}/${id}`, { body: await read(id) })).status).toBe(200);
  });
});
