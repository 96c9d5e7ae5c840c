import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { untilFinished } from '#test/support/pipelines.ts';

const PIPELINES = '/compat/api/v1/pipelines';

interface Pipeline {
  id: string;
  llama_parse_parameters: Record<string, unknown>;
  data_sink: { id: string } & Record<string, unknown>;
  warnings?: { field: string; reason: string }[];
}

let count = 0;
const create = (members: object = {}) =>
  call<Pipeline>('POST', PIPELINES, { body: { name: `words ${++count}`, ...members } });
const parsing = (parameters: object) => create({ llama_parse_parameters: parameters });

describe('parse parameters', () => {
  const sent = { gpt4o_mode: true, azure_openai_endpoint: 'https://a.example', input_s3_path: 's3://b/c' };

  it('have the client’s names in every answer', async () => {
    const { body: made } = await parsing(sent);
    const one = `${PIPELINES}/${made.id}`;
    const answers = [
      made,
      (await call<Pipeline>('GET', one)).body,
      (await call<Pipeline[]>('GET', PIPELINES)).body.find(({ id }) => id === made.id),
      (await call<{ items: Pipeline[] }>('GET', '/compat/api/v2/pipelines?page_size=200')).body.items.find(
        ({ id }) => id === made.id,
      ),
      (await call<Pipeline>('PUT', one, { body: { llama_parse_parameters: sent } })).body,
      (await call<Pipeline>('POST', `${one}/sync`)).body,
      (await call<Pipeline>('POST', `${one}/copy`)).body,
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ llama_parse_parameters: sent });
      expect(answer).not.toHaveProperty('parse_parameters');
    }
    const neutral = await call(`GET`, `/api/v1/pipelines/${made.id}`);
    expect(neutral.body).toMatchObject({
      parse_parameters: { premium_llm_mode: true, hostedllm_endpoint: 'https://a.example' },
    });
  });

  it('count pages from zero', async () => {
    const { body: made } = await parsing({ target_pages: '0, 2-4' });
    expect(made.llama_parse_parameters.target_pages).toBe('0, 2-4');
    const neutral = await call(`GET`, `/api/v1/pipelines/${made.id}`);
    expect(neutral.body).toMatchObject({ parse_parameters: { target_pages: '1, 3-5' } });
  });

  it.each(['3-1', 'all', '0,x', '-1'])('reject %j with the original input', async (target_pages) => {
    const { status, body } = await parsing({ target_pages });
    expect(status).toBe(422);
    const loc = ['body', 'llama_parse_parameters', 'target_pages'];
    expect(body).toMatchObject({ detail: [{ loc, input: target_pages }] });
  });

  it('without effect or unknown are reported with the client’s names', async () => {
    const unknown = ['annotate_line_numbers', 'annotate_revisions'];
    const given = { ...Object.fromEntries(unknown.map((name) => [name, 'x'])), gpt4o_mode: true };
    const { status, body } = await parsing(given);
    expect(status).toBe(200);
    expect(body.warnings?.map(({ field }) => field).toSorted()).toEqual(
      [...unknown, 'gpt4o_mode'].map((name) => `llama_parse_parameters.${name}`).toSorted(),
    );
  });

  it('of a wrong type are reported with the client’s names', async () => {
    const { body } = await parsing({ gpt4o_mode: 'perhaps' });
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'llama_parse_parameters', 'gpt4o_mode'] }] });
  });
});

describe('the parts of a pipeline', () => {
  it('include the client’s managed model by default', async () => {
    const { body } = await create({ embedding_config: null, transform_config: {}, data_sink: null });
    expect(body).toMatchObject({
      embedding_config: {
        type: 'MANAGED_OPENAI_EMBEDDING',
        component: { model_name: 'openai-text-embedding-3-small', class_name: 'ManagedOpenAIEmbedding' },
      },
    });
  });

  it('include a data sink and an embedding model config with the client’s names, and accept both back', async () => {
    const component = { url: 'https://nowhere.example', api_key: 'k', collection_name: 'c' };
    const { body: config } = await call<{ id: string }>('POST', '/compat/api/v1/embedding-model-configs', {
      body: {
        name: 'azure',
        embedding_config: { type: 'AZURE_EMBEDDING', component: { azure_deployment: 'd', api_key: 'k' } },
      },
    });
    const { body: made } = await create({
      data_sink: { name: 'q', sink_type: 'QDRANT', component },
      embedding_model_config_id: config.id,
    });
    expect(made).toMatchObject({
      data_sink: { sink_type: 'QDRANT', component: { class_name: 'CloudQdrantVectorStore' } },
      embedding_model_config: {
        embedding_config: { type: 'AZURE_EMBEDDING', component: { azure_deployment: 'd' } },
      },
    });
    const { data_sink, llama_parse_parameters } = made;
    const back = await call<Pipeline>('PUT', `${PIPELINES}/${made.id}`, {
      body: { data_sink, llama_parse_parameters },
    });
    expect(back.body.data_sink).toEqual(data_sink);
  });

  it('include data sources with the client’s names', async () => {
    const source = await call<{ id: string }>('POST', '/compat/api/v1/data-sources', {
      body: { name: 'chat', source_type: 'SLACK', component: { slack_token: 'x', channel_ids: 'C1' } },
    });
    const { body: made } = await create();
    const path = `${PIPELINES}/${made.id}/data-sources`;
    const body = [{ data_source_id: source.body.id }];
    for (const answer of [await call<object[]>('PUT', path, { body }), await call<object[]>('GET', path)]) {
      expect(answer.body).toMatchObject([
        { source_type: 'SLACK', component: { slack_token: '********', class_name: 'CloudSlackDataSource' } },
      ]);
    }
  });
});

it('an unknown language model is rejected with the client’s names', async () => {
  const { body: made } = await create();
  const model = (model_name: string) => ({
    messages: [{ role: 'user', content: 'How deep?' }],
    data: { llm_parameters: { model_name } },
  });
  const path = `${PIPELINES}/${made.id}/chat`;
  const refused = await call('POST', path, { body: model('GPT_4O') });
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    detail: [{ loc: ['body', 'data', 'llm_parameters', 'model_name'] }],
  });
  expect(JSON.stringify(refused.body)).not.toContain('LLM_MODEL');
});

it('documents with known ids are replaced under /compat, and rejected at the root', async () => {
  const { body: made } = await create();
  const put = (base: string, text: string) =>
    call<{ text: string }[]>('POST', `${base}/api/v1/pipelines/${made.id}/documents`, {
      body: [{ id: 'one', text, metadata: { parse_parameters: 'mine', sink_type: 'POSTGRES' } }],
    });
  await put('/compat', 'first');
  const again = await put('/compat', 'second');
  expect(again.body).toMatchObject([
    { text: 'second', metadata: { parse_parameters: 'mine', sink_type: 'POSTGRES' } },
  ]);
  expect((await put('', 'third')).status).toBe(409);
  const { status } = await untilFinished(made.id);
  expect(status).toBe('SUCCESS');
});
