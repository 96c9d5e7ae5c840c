import { describe, expect, it } from 'vitest';
import { parseComponent } from '#src/lib/schema/component.ts';
import { SINK_TYPES, type SinkType, sinkComponents } from '#src/sinks/registry.ts';
import {
  type Accepted,
  type ComponentCase,
  collectIssues,
  componentRules,
} from '#test/suites/component-rules.ts';

const onlyTrue: ComponentCase['rejects'] = [['supports_nested_metadata_filters', false, 'literal_error']];
const hnswDefaults = {
  distance_method: 'cosine',
  ef_construction: 64,
  ef_search: 40,
  m: 16,
  vector_type: 'vector',
};

const cases: Record<SinkType, ComponentCase & { also?: Accepted }> = {
  VENDOR_A_DB: {
    valid: { token: 't', api_endpoint: 'https://a.example', collection_name: 'c', embedding_dimension: 3 },
    required: ['token', 'api_endpoint', 'collection_name', 'embedding_dimension'],
    defaults: { supports_nested_metadata_filters: true },
    also: [
      ['keyspace', 'k'],
      ['supports_nested_metadata_filters', true],
    ],
    rejects: [
      ['token', 5, 'string_type'],
      ['embedding_dimension', 1.5, 'int_from_float'],
      ['embedding_dimension', 'three', 'int_parsing'],
      ['embedding_dimension', true, 'int_type'],
      ['keyspace', 1, 'string_type'],
      ...onlyTrue,
    ],
  },
  VENDOR_B_SEARCH: {
    valid: { search_service_api_key: 'k', search_service_endpoint: 'https://s.example' },
    required: ['search_service_api_key', 'search_service_endpoint'],
    defaults: { supports_nested_metadata_filters: true },
    also: [
      ['filterable_metadata_field_keys', { year: 'Int32' }],
      ['tenant_id', 't'],
      ['embedding_dimension', 8],
      ['native_search', true],
    ],
    rejects: [
      ['filterable_metadata_field_keys', ['year'], 'dict_type'],
      ['index_name', {}, 'string_type'],
      ['client_secret', 1, 'string_type'],
      ...onlyTrue,
    ],
  },
  VENDOR_C: {
    valid: { uri: 'http://m.example:19530' },
    required: ['uri'],
    defaults: { supports_nested_metadata_filters: false },
    also: [
      ['token', 't'],
      ['native_search', true],
      ['supports_nested_metadata_filters', true],
      ['supports_nested_metadata_filters', false],
    ],
    rejects: [
      ['uri', 1, 'string_type'],
      ['supports_nested_metadata_filters', 'yes', 'bool_parsing'],
    ],
  },
  VENDOR_D: {
    valid: { db_uri: 'mongodb://u:p@h', db_name: 'd', collection_name: 'c' },
    required: ['db_uri', 'db_name', 'collection_name'],
    defaults: { supports_nested_metadata_filters: false },
    also: [
      ['vector_index_name', 'v'],
      ['fulltext_index_name', 'f'],
      ['embedding_dimension', 4],
      ['native_search', true],
    ],
    rejects: [
      ['db_uri', 1, 'string_type'],
      ['fulltext_index_name', 1, 'string_type'],
    ],
  },
  VENDOR_E: {
    valid: { api_key: 'k', index_name: 'i' },
    required: ['api_key', 'index_name'],
    defaults: { supports_nested_metadata_filters: true },
    also: [
      ['namespace', 'n'],
      ['insert_kwargs', { async: true }],
    ],
    rejects: [['insert_kwargs', 'x', 'dict_type'], ['namespace', 1, 'string_type'], ...onlyTrue],
  },
  VENDOR_F: {
    valid: {
      ...{ database: 'd', embed_dim: 3, host: 'h', password: 'p', port: 5432 },
      ...{ schema_name: 's', table_name: 't', user: 'u' },
    },
    required: ['database', 'embed_dim', 'host', 'password', 'port', 'schema_name', 'table_name', 'user'],
    defaults: {
      perform_setup: true,
      supports_nested_metadata_filters: true,
    },
    also: [
      ['hybrid_search', true],
      ['native_search', true],
      ['perform_setup', false],
      ['hnsw_settings', { ...hnswDefaults, ef_construction: 1, ef_search: 1, m: 1 }],
      ...['cosine', 'hamming', 'ip', 'jaccard', 'l1', 'l2'].map((distance_method): Accepted[number] => [
        'hnsw_settings',
        { ...hnswDefaults, distance_method },
      ]),
      ...['bit', 'half_vec', 'sparse_vec', 'vector'].map((vector_type): Accepted[number] => [
        'hnsw_settings',
        { ...hnswDefaults, vector_type },
      ]),
    ],
    rejects: [
      ['port', '5432a', 'int_parsing'],
      ['port', 5432.5, 'int_from_float'],
      ['embed_dim', [], 'int_type'],
      ['hnsw_settings', { ef_construction: 0 }, 'greater_than_equal', ['ef_construction']],
      ['hnsw_settings', { ef_search: 0 }, 'greater_than_equal', ['ef_search']],
      ['hnsw_settings', { m: 0 }, 'greater_than_equal', ['m']],
      ['hnsw_settings', { distance_method: 'euclid' }, 'enum', ['distance_method']],
      ['hnsw_settings', { vector_type: 'tensor' }, 'enum', ['vector_type']],
      ['hnsw_settings', 'big', 'model_attributes_type'],
    ],
  },
  VENDOR_G: {
    valid: { api_key: 'k', collection_name: 'c', url: 'https://q.example' },
    required: ['api_key', 'collection_name', 'url'],
    defaults: {
      max_retries: 3,
      supports_nested_metadata_filters: true,
    },
    also: [
      ['native_search', true],
      ['max_retries', 0],
      ['client_kwargs', { timeout: 3, port: 443, prefix: 'store', https: true, prefer_grpc: true }],
    ],
    rejects: [
      ['max_retries', 'many', 'int_parsing'],
      ['max_retries', -1, 'greater_than_equal'],
      ['client_kwargs', [], 'dict_type'],
      ['client_kwargs', { timeout: 'long' }, 'value_error', ['timeout']],
      ...onlyTrue,
    ],
  },
  VENDOR_H: {
    valid: { url: 'https://s.example', index_name: 'i' },
    required: ['url', 'index_name'],
    defaults: { max_retries: 3 },
    also: [
      ['username', 'u'],
      ['password', 'p'],
      ['api_key', 'k'],
      ['max_retries', 0],
      ['native_search', true],
    ],
    rejects: [
      ['url', 1, 'string_type'],
      ['api_key', 1, 'string_type'],
      ['max_retries', 11, 'less_than_equal'],
    ],
  },
};

describe.each(SINK_TYPES)('%s component', (type) => {
  componentRules(sinkComponents, type, cases[type], cases[type].also);
});

it('applies the defaults of partial index settings', () => {
  const parsed = sinkComponents.VENDOR_F.parse({ ...cases.VENDOR_F.valid, hnsw_settings: { m: 8 } });
  expect(parsed.hnsw_settings).toEqual({ ...hnswDefaults, m: 8 });
});

it('reports every wrong field of a component at once', () => {
  const issues = collectIssues(() =>
    parseComponent(sinkComponents, 'VENDOR_G', { url: 1, max_retries: 'x' }),
  );
  expect(issues.map((issue) => issue.loc.at(-1)).toSorted()).toEqual([
    'api_key',
    'collection_name',
    'max_retries',
    'url',
  ]);
});

it.each([
  [undefined, 'missing'],
  ['text', 'dict_type'],
  [[], 'dict_type'],
  [null, 'dict_type'],
])('rejects %j as a component', (value, type) => {
  const issues = collectIssues(() => parseComponent(sinkComponents, 'VENDOR_E', value));
  expect(issues.map((issue) => [issue.loc, issue.type])).toEqual([[['body', 'component'], type]]);
});
