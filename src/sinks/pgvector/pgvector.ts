import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import { databaseOf } from './database.ts';
import { DatabaseError } from './failures.ts';
import type { PgvectorSettings } from './settings.ts';
import { takeInventory, unfit, wrongWith } from './setup.ts';
import { PgvectorStore } from './store.ts';

const AVAILABLE = `select exists (select from pg_catalog.pg_available_extensions where name = 'vector') as available`;

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
  open: (settings, deps) => new PgvectorStore(settings, deps),
  check: checkPgvector,
});

/** Connects and looks at what is there, which may be nothing yet. Says which setting is wrong where the answer tells. */
async function checkPgvector(settings: PgvectorSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  checkDimension('embed_dim', settings.embed_dim, dimension);
  const wrong = wrongWith(settings);
  if (wrong) throw wrongSetting(wrong.field, wrong.message);
  try {
    await databaseOf(settings, deps)().run(async (ask) => {
      const there = await takeInventory(ask, settings);
      const problem = unfit(settings, there);
      if (problem) throw wrongSetting(problem.field, problem.message);
      if (there.has_extension) return;
      const available = (await ask(AVAILABLE))[0]?.available === true;
      if (available && settings.perform_setup !== false) return;
      throw wrongSetting(
        'perform_setup',
        available
          ? 'The vector extension is not in the database, and perform_setup is false, so it is not put there.'
          : 'The server does not have the vector extension, so the table cannot be made.',
      );
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.field && !error.retryable) {
      throw wrongSetting(error.field, error.message);
    }
    throw error;
  }
}
