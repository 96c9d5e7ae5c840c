import { inject } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { createDatabase } from '#src/sinks/pgvector/database.ts';
import pgvector from '#src/sinks/pgvector/pgvector.ts';
import { PgvectorStore } from '#src/sinks/pgvector/store.ts';

export const PASSWORD = 'password-of-the-owner';

/** Returns settings for a table that no other test uses. */
export function component<Changes extends object>(changes: Changes = {} as Changes) {
  return {
    ...{ host: '127.0.0.1', port: inject('relational'), database: 'postgres', user: 'postgres' },
    ...{ password: PASSWORD, schema_name: 'tests', table_name: crypto.randomUUID(), embed_dim: 8 },
    ...changes,
  };
}

export function createPgvectorDeps({ silence = 60, isPrivateAllowed = true, indexId = 'index' } = {}) {
  const settings = { ALLOW_PRIVATE_ADDRESSES: isPrivateAllowed, SILENCE_SECONDS: silence };
  return { fetch, log: createLogger(), settings, indexId };
}

export type Component = object;
type Deps = Parameters<typeof createPgvectorDeps>[0];

export const open = (given: Component = component(), deps?: Deps) =>
  new PgvectorStore(pgvector.settings.parse(given), createPgvectorDeps(deps));

export const check = (given: Component = component(), deps?: Deps, dimension?: number) =>
  pgvector.check(pgvector.settings.parse(given), createPgvectorDeps(deps), dimension);

/** Runs a statement as the owner of the database. */
export const ask = (statement: string, values?: (string | number)[]) =>
  createDatabase(pgvector.settings.parse(component()), createPgvectorDeps())().run((each) =>
    each(statement, values),
  );
