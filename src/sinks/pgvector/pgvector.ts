import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSinkSettings } from '#src/sinks/define.ts';

const hnswSettings = z.looseObject({
  distance_method: z.enum(['cosine', 'hamming', 'ip', 'jaccard', 'l1', 'l2']).nullable().default('cosine'),
  ef_construction: z.int().min(1).nullable().default(64).describe('Edges during construction.'),
  ef_search: z.int().min(1).nullable().default(40).describe('Edges during search.'),
  m: z.int().min(1).nullable().default(16).describe('Bi-directional links per new element.'),
  vector_type: z.enum(['bit', 'half_vec', 'sparse_vec', 'vector']).nullable().default('vector'),
});

export default defineSinkSettings({
  kind: 'VENDOR_F',
  fields: {
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
  },
  // With hybrid search a table has other columns.
  location: ({ host, port, database, schema_name, table_name, hybrid_search }) => [
    host,
    port,
    database,
    schema_name,
    table_name,
    hybrid_search,
  ],
});
