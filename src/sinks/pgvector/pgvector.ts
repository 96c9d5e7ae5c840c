import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkDimension, createSettingError } from '#src/sinks/external/store-http.ts';
import { nativeSearchField } from '#src/sinks/native/native-search.ts';
import { createDatabase, type RunStatement } from './database.ts';
import { DatabaseError } from './failures.ts';
import { PgvectorSearch } from './search/pgvector-search.ts';
import { findSearchSettingsProblem, findTablesProblem, readInventories } from './search/search-setup.ts';
import type { PgvectorSettings } from './settings.ts';
import { findSettingsProblem, findTableProblem, type Problem, readInventory } from './setup.ts';
import { PgvectorStore } from './store.ts';

const AVAILABLE = `select exists (select from pg_catalog.pg_available_extensions where name = 'vector') as available`;

const hnswSettings = z.looseObject({
  distance_method: z.enum(['cosine', 'hamming', 'ip', 'jaccard', 'l1', 'l2']).nullable().default('cosine'),
  ef_construction: z
    .int()
    .min(1)
    .nullable()
    .default(64)
    .describe('Number of candidates while the index is built.'),
  ef_search: z.int().min(1).nullable().default(40).describe('Number of candidates during a search.'),
  m: z.int().min(1).nullable().default(16).describe('Number of links of each new element.'),
  vector_type: z.enum(['bit', 'half_vec', 'sparse_vec', 'vector']).nullable().default('vector'),
});

/** Data sink for a table in PostgreSQL with pgvector. Several indexes may share a table. */
export default defineStore({
  kind: 'VENDOR_F',
  title: 'Relational database vector store',
  client: { word: 'POSTGRES', className: 'CloudPostgresVectorStore' },
  fields: {
    database: z.string(),
    embed_dim: z.int().describe('Dimension of the embedding model.'),
    host: z.string().describe('Host name or IP address, without a port.'),
    password: secret(),
    port: z.int(),
    schema_name: z.string(),
    table_name: z.string().describe('Created if it does not exist, unless `perform_setup` is false.'),
    user: z.string(),
    hnsw_settings: hnswSettings.nullish().describe('Without it, there is no index and every query is exact.'),
    hybrid_search: field.flag().describe('Adds a column for your own full-text search.'),
    native_search: nativeSearchField(),
    perform_setup: field.flagOr(true),
    supports_nested_metadata_filters: field.flagOr(true),
  },
  // Hybrid search adds a column to the table, so changing this setting rebuilds the index.
  location: ({ host, port, database, schema_name, table_name, hybrid_search }) => [
    host,
    port,
    database,
    schema_name,
    table_name,
    hybrid_search,
  ],
  open: (settings, deps) => new PgvectorStore(settings, deps),
  openSearch: (settings, deps) => new PgvectorSearch(settings, deps),
  check: checkPgvector,
});

/**
 * Connects and validates the settings. The table may be missing. Errors name the wrong setting where the
 * response reveals it.
 */
async function checkPgvector(settings: PgvectorSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  checkDimension('embed_dim', settings.embed_dim, dimension);
  const wrong =
    settings.native_search === true ? findSearchSettingsProblem(settings) : findSettingsProblem(settings);
  if (wrong) throw createSettingError(wrong.field, wrong.message);
  try {
    await createDatabase(settings, deps)().run(async (ask) => {
      const { problem, hasExtension } = await inspectTables(ask, settings);
      if (problem) throw createSettingError(problem.field, problem.message);
      if (hasExtension) return;
      const available = (await ask(AVAILABLE))[0]?.available === true;
      if (available && settings.perform_setup !== false) return;
      throw createSettingError(
        'perform_setup',
        available
          ? 'The vector extension is not installed in the database, and it is not installed automatically because perform_setup is false.'
          : 'The server does not have the vector extension, so the table cannot be created.',
      );
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.field && !error.retryable) {
      throw createSettingError(error.field, error.message);
    }
    throw error;
  }
}

/** Reads the tables that the settings need, and finds the reason why they cannot be used. */
async function inspectTables(
  ask: RunStatement,
  settings: PgvectorSettings,
): Promise<{ problem: Problem | undefined; hasExtension: boolean }> {
  if (settings.native_search === true) {
    const existing = await readInventories(ask, settings);
    return { problem: findTablesProblem(settings, existing), hasExtension: existing.chunks.has_extension };
  }
  const existing = await readInventory(ask, settings);
  return { problem: findTableProblem(settings, existing), hasExtension: existing.has_extension };
}
