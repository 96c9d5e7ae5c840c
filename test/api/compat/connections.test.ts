import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';

interface Made {
  id: string;
  component: Record<string, unknown>;
}

const component = {
  bucket: 'b',
  aws_access_id: 'AK',
  aws_access_secret: 'SK',
  s3_endpoint_url: 'https://nowhere.example',
};
const mongo = { db_name: 'd', collection_name: 'c', mongodb_uri: 'mongodb://u:Pl4nted@nowhere.example/' };

describe('data sources', () => {
  it('accept and return the client’s names', async () => {
    const source = { name: 'papers', source_type: 'S3', component };
    const made = await call<Made>('POST', '/compat/api/v1/data-sources', { body: source });
    expect(made).toMatchObject({
      status: 200,
      body: {
        source_type: 'S3',
        component: { bucket: 'b', aws_access_id: 'AK', class_name: 'CloudS3DataSource' },
      },
    });
    expect(JSON.stringify(made.body)).not.toMatch(/SOURCE_\d|cloud_access|bucket_endpoint/);
    const neutral = await call('GET', `/api/v1/data-sources/${made.body.id}`);
    expect(neutral.body).toMatchObject({
      source_type: 'SOURCE_9_BUCKET',
      component: { bucket: 'b', cloud_access_id: 'AK' },
    });
    const listed = await call<Made[]>('GET', '/compat/api/v1/data-sources');
    expect(listed.body).toContainEqual(expect.objectContaining({ id: made.body.id, source_type: 'S3' }));
  });

  it('do not translate custom metadata', async () => {
    const custom_metadata = { source_type: 'S3', llama_parse_parameters: { gpt4o_mode: true } };
    const body = { name: 'words', source_type: 'S3', component, custom_metadata };
    const made = await call('POST', '/compat/api/v1/data-sources', { body });
    expect(made.body).toMatchObject({ custom_metadata });
  });

  it('report errors with the client’s names', async () => {
    const body = { name: 's', source_type: 'SOMETHING', component };
    const { status, body: told } = await call('POST', '/compat/api/v1/data-sources', { body });
    expect(status).toBe(422);
    expect(told).toMatchObject({
      detail: [{ msg: expect.stringContaining('AZURE_STORAGE_BLOB'), ctx: { expected: expect.anything() } }],
    });
    expect(JSON.stringify(told)).not.toMatch(/SOURCE_\d/);
  });
});

describe('data sinks', () => {
  const path = '/compat/api/v1/data-sinks';

  it.each([
    [{ foo: 'bar' }, 'component', 'None of the fields is known for QDRANT'],
    [{ foo: 'bar', class_name: 'CloudQdrantVectorStore' }, 'component', 'it cannot be used to connect'],
  ])('warn about the component %j, which cannot be opened', async (given, field, reason) => {
    const body = { name: 'free', sink_type: 'QDRANT', component: given };
    const made = await call<Made>('POST', path, { body });
    const warnings = [{ field, reason: expect.stringContaining(reason) }];
    expect(made).toMatchObject({ status: 200, body: { warnings } });
    const changed = await call('PUT', `${path}/${made.body.id}`, { body });
    expect(changed).toMatchObject({ status: 200, body: { warnings } });
  });

  it('name a missing or wrong field as clients do', async () => {
    const refused = async (given: object) => {
      const body = { name: 's', sink_type: 'MONGODB_ATLAS', component: given };
      const answer = await call<{ detail: { loc: string[]; msg: string }[] }>('POST', path, { body });
      expect(answer.status).toBe(422);
      return answer.body.detail;
    };
    const { mongodb_uri: _, ...rest } = mongo;
    expect(await refused(rest)).toEqual([
      expect.objectContaining({ loc: ['body', 'component', 'mongodb_uri'], msg: 'Field required' }),
    ]);
    expect(await refused({ ...mongo, mongodb_uri: 7 })).toEqual([
      expect.objectContaining({ loc: ['body', 'component', 'mongodb_uri'], type: 'string_type' }),
    ]);
  });

  it('are returned masked, and accept the masked values', async () => {
    const body = { name: 'masked', sink_type: 'MONGODB_ATLAS', component: mongo };
    const made = await call<Made>('POST', path, { body });
    expect(made.body.component).toMatchObject({ mongodb_uri: '********', db_name: 'd' });
    const changed = { ...made.body.component, collection_name: 'e' };
    const { body: after } = await call<Made>('PUT', `${path}/${made.body.id}`, {
      body: { sink_type: 'MONGODB_ATLAS', component: changed },
    });
    expect(after.component).toEqual(changed);
  });
});

it('embedding model configs use the client’s names for models and fields', async () => {
  const path = '/compat/api/v1/embedding-model-configs';
  const embedding_config = {
    type: 'BEDROCK_EMBEDDING',
    component: { aws_access_key_id: 'AK', aws_secret_access_key: 'SK', region_name: 'eu-north-1' },
  };
  const made = await call<{ id: string }>('POST', path, { body: { name: 'b', embedding_config } });
  const shown = { aws_access_key_id: expect.any(String), class_name: 'BedrockEmbedding' };
  expect(made.body).toMatchObject({
    embedding_config: { type: 'BEDROCK_EMBEDDING', component: shown },
  });
  const body = { embedding_config: { type: 'MANAGED_OPENAI_EMBEDDING', component: {} } };
  const changed = await call('PUT', `${path}/${made.body.id}`, { body });
  expect(changed.body).toMatchObject({
    embedding_config: { component: { model_name: 'openai-text-embedding-3-small' } },
  });
});
