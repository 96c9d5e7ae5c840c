/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { collectWarnings, isWithoutEffect } from '#src/lib/schema/effect.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import type { EmbeddingType } from '#src/models/embedding/registry.ts';
import {
  EMBEDDING_TYPES,
  embedders,
  embeddingComponents,
  findEmbeddingType,
} from '#src/models/embedding/registry.ts';
import { type Accepted, type ComponentCase, componentRules } from '#test/suites/component-rules.ts';

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
      api_base: '',
    },
    also: hostedAccepted,
    rejects: hostedRejects,
  },
  PROVIDER_B_EMBEDDING: {
    valid: { region_name: 'r' },
    required: [],
    defaults: {
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
      ['embedding_type', 1, 'enum'],
      ['embedding_type', 'int4', 'enum'],
      ['input_type', 'image', 'enum'],
    ],
  },
  PROVIDER_D_EMBEDDING: {
    valid: { api_key: 'k' },
    required: [],
    defaults: {
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
    defaults: { pooling: 'cls' },
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
    defaults: {},
    rejects: [['model_name', 'other', 'literal_error']],
  },
  PROVIDER_G_EMBEDDING: {
    valid: { api_key: 'k' },
    required: [],
    defaults: {
      ...hostedDefaults,
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

it.each([
  [undefined, 'PROVIDER_F_EMBEDDING'],
  [{}, 'PROVIDER_F_EMBEDDING'],
  [{ class_name: 'CohereEmbedding', api_key: 'k' }, 'PROVIDER_C_EMBEDDING'],
  [{ api_key: 'k' }, undefined],
])('the type of %j without a type field is %s', (component, type) => {
  expect(findEmbeddingType(component)).toBe(type);
});

describe('fields without effect', () => {
  const [table = ''] = Object.values(
    import.meta.glob<string>('../../../docs/reference/fields-without-effect.md', {
      query: '?raw',
      import: 'default',
      eager: true,
    }),
  );

  it('match the documented table', () => {
    const found = EMBEDDING_TYPES.flatMap((type) =>
      Object.entries(embeddingComponents[type].shape)
        .filter(([, schema]) => isWithoutEffect(schema as z.ZodType))
        .map(([name]) => `${type} ${name}`),
    );
    const rows = [...table.matchAll(/^\| (PROVIDER_\w+) \| `(\w+)` \|/gm)];
    expect(found.toSorted()).toEqual(rows.map(([, type, field]) => `${type} ${field}`).toSorted());
  });

  it('are reported for a named or inferred component type', () => {
    const of = (config: object) => collectWarnings(embeddingConfig, config).map(({ field }) => field);
    const component = { api_key: 'k', reuse_client: true };
    expect(of({ type: 'PROVIDER_G_EMBEDDING', component })).toEqual(['component.reuse_client']);
    const class_name = 'AzureOpenAIEmbedding';
    expect(of({ component: { ...component, class_name } })).toEqual(['component.reuse_client']);
    expect(of({ type: 'PROVIDER_G_EMBEDDING', component: { ...component, reuse_client: false } })).toEqual(
      [],
    );
    expect(of({ type: 'PROVIDER_C_EMBEDDING', component })).toEqual([]);
    expect(of({ component })).toEqual([]);
  });

  it('are reported for values above the effective maximum', () => {
    const of = (type: string, component: object) =>
      collectWarnings(embeddingConfig, { type, component: { api_key: 'k', ...component } });
    expect(of('PROVIDER_G_EMBEDDING', { max_retries: 2, num_workers: 4, embed_batch_size: 2048 })).toEqual(
      [],
    );
    expect(of('PROVIDER_G_EMBEDDING', { max_retries: 3, num_workers: 5 })).toEqual([
      { field: 'component.max_retries', reason: expect.stringMatching(/at most 2 times/) },
      { field: 'component.num_workers', reason: expect.stringMatching(/At most 4 calls/) },
    ]);
    for (const definition of Object.values(embedders)) {
      const { maxBatch } = definition.capabilities;
      expect(of(definition.kind, { embed_batch_size: maxBatch }), definition.kind).toEqual([]);
      const told = of(definition.kind, { embed_batch_size: maxBatch + 1 });
      expect(told.map(({ field }) => field)).toEqual(maxBatch < 2048 ? ['component.embed_batch_size'] : []);
    }
  });
});
