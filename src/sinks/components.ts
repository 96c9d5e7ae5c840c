import { z } from 'zod';
import { componentInput, field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';

// What each external sink is told, per sink_type. Members of client and insert keyword maps that are named
// like credentials, and user information in addresses, are protected as secrets are.

export const SINK_TYPES = [
  'VENDOR_A_DB',
  'VENDOR_B_SEARCH',
  'VENDOR_C',
  'VENDOR_D',
  'VENDOR_E',
  'VENDOR_F',
  'VENDOR_G',
] as const;
export const sinkType = z.enum(SINK_TYPES);
export type SinkType = z.infer<typeof sinkType>;

const wideColumnDatabase = z.looseObject({
  class_name: field.textOr('CloudAstraDBVectorStore'),
  token: secret(),
  api_endpoint: z.string(),
  collection_name: z.string().describe('Created when it does not exist.'),
  embedding_dimension: z.int(),
  keyspace: field.text().describe('The default keyspace when omitted.'),
  supports_nested_metadata_filters: field.onlyTrue(),
});

const cloudSearchService = z.looseObject({
  class_name: field.textOr('CloudAzureAISearchVectorStore'),
  search_service_api_key: secret(),
  search_service_endpoint: z.string(),
  client_id: field.text(),
  client_secret: secret().nullish(),
  embedding_dimension: field.int(),
  filterable_metadata_field_keys: field.map(),
  index_name: field.text(),
  search_service_api_version: field.text(),
  tenant_id: field.text(),
  supports_nested_metadata_filters: field.onlyTrue(),
});

const distributedVectorStore = z.looseObject({
  class_name: field.textOr('CloudMilvusVectorStore'),
  uri: z.string(),
  token: secret().nullish(),
  collection_name: field.text(),
  embedding_dimension: field.int(),
  supports_nested_metadata_filters: field.flagOr(false),
});

const documentDatabase = z.looseObject({
  class_name: field.textOr('CloudMongoDBAtlasVectorSearch'),
  db_uri: secret(),
  db_name: z.string(),
  collection_name: z.string(),
  vector_index_name: field.text(),
  fulltext_index_name: field.text(),
  embedding_dimension: field.int(),
  supports_nested_metadata_filters: field.flagOr(false),
});

const managedVectorStore = z.looseObject({
  class_name: field.textOr('CloudPineconeVectorStore'),
  api_key: secret(),
  index_name: z.string(),
  namespace: field.text(),
  insert_kwargs: field.map(),
  supports_nested_metadata_filters: field.onlyTrue(),
});

export const hnswSettings = z.looseObject({
  distance_method: z.enum(['cosine', 'hamming', 'ip', 'jaccard', 'l1', 'l2']).nullable().default('cosine'),
  ef_construction: z.int().min(1).nullable().default(64).describe('Edges during construction.'),
  ef_search: z.int().min(1).nullable().default(40).describe('Edges during search.'),
  m: z.int().min(1).nullable().default(16).describe('Bi-directional links per new element.'),
  vector_type: z.enum(['bit', 'half_vec', 'sparse_vec', 'vector']).nullable().default('vector'),
});

const relationalDatabase = z.looseObject({
  class_name: field.textOr('CloudPostgresVectorStore'),
  database: z.string(),
  embed_dim: z.int(),
  host: z.string(),
  password: secret(),
  port: z.int(),
  schema_name: z.string(),
  table_name: z.string(),
  user: z.string(),
  hnsw_settings: hnswSettings.nullish(),
  hybrid_search: field.flag(),
  perform_setup: field.flagOr(true),
  supports_nested_metadata_filters: field.flagOr(true),
});

const openSourceVectorStore = z.looseObject({
  class_name: field.textOr('CloudQdrantVectorStore'),
  api_key: secret(),
  collection_name: z.string(),
  url: z.string(),
  client_kwargs: field.map(),
  max_retries: z.int().nullable().default(3),
  supports_nested_metadata_filters: field.onlyTrue(),
});

export const sinkComponents = {
  VENDOR_A_DB: wideColumnDatabase,
  VENDOR_B_SEARCH: cloudSearchService,
  VENDOR_C: distributedVectorStore,
  VENDOR_D: documentDatabase,
  VENDOR_E: managedVectorStore,
  VENDOR_F: relationalDatabase,
  VENDOR_G: openSourceVectorStore,
} satisfies Record<SinkType, z.ZodObject>;

export function sinkComponent<Type extends SinkType>(type: Type): (typeof sinkComponents)[Type] {
  return sinkComponents[type];
}

/** As it comes in and goes out: `sink_type` selects the shape, which `parseComponent` checks. */
export const sinkComponentInput = componentInput(sinkComponents);
