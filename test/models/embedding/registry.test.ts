import { describe, expect, it } from 'vitest';
import { parseEmbeddingConfig } from '#src/models/embedding/configuration.ts';
import type { EmbeddingType } from '#src/models/embedding/definition.ts';
import { EMBEDDING_TYPES, embeddingComponents } from '#src/models/embedding/registry.ts';
import { type Accepted, type ComponentCase, componentRules, issuesOf } from '#test/suites/component-rules.ts';

const batchAccepted: Accepted = [
  ['embed_batch_size', 1],
  ['embed_batch_size', 2048],
  ['num_workers', 4],
];
const batchRejects: ComponentCase['rejects'] = [
  ['embed_batch_size', 0, 'greater_than'],
  ['embed_batch_size', 2049, 'less_than_equal'],
  ['embed_batch_size', 1.5, 'int_from_float'],
  ['num_workers', 'two', 'int_parsing'],
];
const hostedAccepted: Accepted = [
  ['max_retries', 0],
  ['timeout', 0],
  ['timeout', 0.5],
  ['default_headers', { 'X-A': 'b' }],
  ['reuse_client', false],
  ['dimensions', 256],
  ['additional_kwargs', { user: 'u' }],
];
const hostedRejects: ComponentCase['rejects'] = [
  ['max_retries', -1, 'greater_than_equal'],
  ['timeout', -0.1, 'greater_than_equal'],
  ['default_headers', { 'X-A': 1 }, 'string_type', ['X-A']],
  ['reuse_client', 'maybe', 'bool_parsing'],
];
const hostedDefaults = { api_version: '', max_retries: 10, timeout: 60, reuse_client: true };

const cases: Record<EmbeddingType, ComponentCase & { also?: Accepted }> = {
  PROVIDER_A_EMBEDDING: {
    valid: { cloud_deployment: 'd' },
    required: [],
    defaults: {
      ...hostedDefaults,
      class_name: 'AzureOpenAIEmbedding',
      model_name: 'text-embedding-ada-002',
      api_base: '',
    },
    also: hostedAccepted,
    rejects: hostedRejects,
  },
  PROVIDER_B_EMBEDDING: {
    valid: { region_name: 'r' },
    required: [],
    defaults: {
      class_name: 'BedrockEmbedding',
      model_name: 'amazon.titan-embed-text-v1',
      max_retries: 10,
      timeout: 60,
    },
    also: [
      ['max_retries', 1],
      ['timeout', 1.5],
      ['profile_name', 'p'],
    ],
    rejects: [
      ['max_retries', 0, 'greater_than'],
      ['cloud_session_token', 1, 'string_type'],
    ],
  },
  PROVIDER_C_EMBEDDING: {
    valid: { api_key: 'k' },
    required: ['api_key'],
    defaults: {
      class_name: 'CohereEmbedding',
      model_name: 'embed-english-v3.0',
      truncate: 'END',
      embedding_type: 'float',
    },
    also: [
      ['truncate', 'START'],
      ['truncate', 'NONE'],
      ['input_type', 'search_query'],
    ],
    rejects: [
      ['truncate', 'end', 'enum'],
      ['embedding_type', 1, 'string_type'],
    ],
  },
  PROVIDER_D_EMBEDDING: {
    valid: { api_key: 'k' },
    required: [],
    defaults: {
      class_name: 'GeminiEmbedding',
      model_name: 'models/embedding-001',
      title: '',
      task_type: 'retrieval_document',
    },
    also: [
      ['output_dimensionality', 768],
      ['transport', 'rest'],
    ],
    rejects: [
      ['output_dimensionality', 'x', 'int_parsing'],
      ['title', 1, 'string_type'],
    ],
  },
  PROVIDER_E_EMBEDDING: {
    valid: { model_name: 'm' },
    required: [],
    defaults: { class_name: 'HuggingFaceInferenceAPIEmbedding', pooling: 'cls' },
    also: [
      ['token', 't'],
      ['token', false],
      ['token', true],
      ['pooling', 'last'],
      ['pooling', 'mean'],
      ['cookies', { a: 'b' }],
      ['headers', { Authorization: 'Bearer x' }],
    ],
    rejects: [
      ['token', 5, 'string_type'],
      ['pooling', 'max', 'enum'],
      ['cookies', { a: 1 }, 'string_type', ['a']],
      ['timeout', 'long', 'float_parsing'],
    ],
  },
  PROVIDER_F_EMBEDDING: {
    valid: { model_name: 'managed-text-embedding-3-small' },
    required: [],
    defaults: { class_name: 'ManagedOpenAIEmbedding' },
    rejects: [['model_name', 'other', 'literal_error']],
  },
  PROVIDER_G_EMBEDDING: {
    valid: { api_key: 'k' },
    required: [],
    defaults: {
      ...hostedDefaults,
      class_name: 'OpenAIEmbedding',
      model_name: 'text-embedding-ada-002',
      api_base: 'https://api.openai.com/v1',
    },
    also: hostedAccepted,
    rejects: hostedRejects,
  },
  PROVIDER_H_EMBEDDING: {
    valid: {
      ...{ client_email: 'e', location: 'l', private_key: 'p' },
      ...{ private_key_id: 'i', project: 'p', token_uri: 'u' },
    },
    required: ['client_email', 'location', 'private_key', 'private_key_id', 'project', 'token_uri'],
    defaults: {
      class_name: 'VertexTextEmbedding',
      model_name: 'textembedding-gecko@003',
      embed_mode: 'retrieval',
    },
    also: ['classification', 'clustering', 'default', 'similarity'].map((mode) => ['embed_mode', mode]),
    rejects: [
      ['embed_mode', 'search', 'enum'],
      ['private_key', 1, 'string_type'],
    ],
  },
};

describe.each(EMBEDDING_TYPES)('%s component', (type) => {
  const rules = cases[type];
  componentRules(
    embeddingComponents,
    type,
    {
      ...rules,
      defaults: { embed_batch_size: 10, ...rules.defaults },
      rejects: [...batchRejects, ...rules.rejects],
    },
    [...batchAccepted, ...(rules.also ?? [])],
  );
});

describe('embedding configuration', () => {
  const managed = {
    type: 'PROVIDER_F_EMBEDDING',
    component: {
      class_name: 'ManagedOpenAIEmbedding',
      embed_batch_size: 10,
      model_name: 'managed-text-embedding-3-small',
    },
  };

  it.each([{}, { type: null }, { component: null }, { component: {} }, { type: 'PROVIDER_F_EMBEDDING' }])(
    'reads %j as the managed default',
    (value) => expect(parseEmbeddingConfig(value)).toEqual(managed),
  );

  it('tells a missing type by the class name', () => {
    const config = parseEmbeddingConfig({ component: { class_name: 'CohereEmbedding', api_key: 'k' } });
    expect(config.type).toBe('PROVIDER_C_EMBEDDING');
    expect(config.component).toMatchObject({ truncate: 'END' });
  });

  it('keeps a component of no known type as it is', () => {
    expect(parseEmbeddingConfig({ component: { api_key: 'k' } })).toEqual({ component: { api_key: 'k' } });
  });

  it.each<[unknown, (string | number)[], string]>([
    [{ type: 'OTHER' }, ['type'], 'enum'],
    [{ type: 'PROVIDER_G_EMBEDDING', component: 'x' }, ['component'], 'dict_type'],
    [
      { type: 'PROVIDER_G_EMBEDDING', component: { timeout: -1 } },
      ['component', 'timeout'],
      'greater_than_equal',
    ],
    [{ type: 'PROVIDER_C_EMBEDDING', component: { truncate: 'END' } }, ['component', 'api_key'], 'missing'],
    [null, [], 'model_attributes_type'],
  ])('refuses %j', (value, path, type) => {
    const issues = issuesOf(() => parseEmbeddingConfig(value));
    expect(issues.map((issue) => [issue.loc, issue.type])).toEqual([
      [['body', 'embedding_config', ...path], type],
    ]);
  });
});
