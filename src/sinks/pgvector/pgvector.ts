import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkPgvector } from './check.ts';
import { pgvectorStore } from './store.ts';

const hnswSettings = z.looseObject({
  distance_method: z.enum(['cosine', 'hamming', 'ip', 'jaccard', 'l1', 'l2']).nullable().default('cosine'),
  ef_construction: z.int().min(1).nullable().default(64).describe('Edges during construction.'),
  ef_search: z.int().min(1).nullable().default(40).describe('Edges during search.'),
  m: z.int().min(1).nullable().default(16).describe('Bi-directional links per new element.'),
  vector_type: z.enum(['bit', 'half_vec', 'sparse_vec', 'vector']).nullable().default('vector'),
});

/** PostgreSQL with pgvector: a table, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_F',
  title: 'Relational database vector store',
  client: { word: 'POSTGRES', className: 'CloudPostgresVectorStore' },
  fields: {
    database: z.string(),
    embed_dim: z.int().describe('Of the embedding model.'),
    host: z.string().describe('A name or an address, without a port.'),
    password: secret(),
    port: z.int(),
    schema_name: z.string(),
    table_name: z.string().describe('Made when it is absent, unless `perform_setup` is false.'),
    user: z.string(),
    hnsw_settings: hnswSettings.nullish().describe('Absent or null: no index, every query is exact.'),
    hybrid_search: field.flag().describe('Adds a column for the owner’s own search by words.'),
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
  open: pgvectorStore,
  check: checkPgvector,
});
