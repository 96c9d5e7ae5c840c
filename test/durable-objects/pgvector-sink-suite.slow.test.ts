import { beforeAll, inject } from 'vitest';
import { createDatabase } from '#src/sinks/pgvector/database.ts';
import pgvector from '#src/sinks/pgvector/pgvector.ts';
import { PgvectorStore } from '#src/sinks/pgvector/store.ts';
import { getQualifiedTable } from '#src/sinks/pgvector/table.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import type { LossOrder } from '#test/vendors/losses.ts';
import { fresh, namingNone, opening } from './external-index.ts';
import { Directory, managedDeps } from './managed-index.ts';

/** Small index settings, because the test database builds the graph in WebAssembly. */
const hnsw_settings = { m: 4, ef_construction: 8, ef_search: 10 };
const COMPONENT = {
  hnsw_settings,
  ...{
    host: '127.0.0.1',
    port: inject('relational'),
    database: 'postgres',
    password: 'secret',
    user: 'postgres',
  },
  ...{ schema_name: 'shared', table_name: 'all "indexes"', embed_dim: 8 },
};

/** Connects as a user. The test server handles some users as their name says. */
const as = (user: string) => opening(pgvector, () => ({ ...COMPONENT, user }));
const open = as('postgres');
const openNarrowed = opening(
  namingNone(pgvector, (settings, deps) => new PgvectorStore(settings, deps)),
  () => COMPONENT,
);

/** Creates an index with a document, and makes its store fail. */
const failing =
  (order: string) =>
  async (silence = 0.3) => {
    const index = [crypto.randomUUID(), new Directory()] as const;
    await put(open(...index), document('b'), ['text']);
    return as(order)(...index, order === 'silent' ? silence : 30);
  };

/** Creates an index in a separate table, which the test changes directly with SQL. */
function losing() {
  const component = { ...COMPONENT, table_name: `lost ${crypto.randomUUID()}` };
  const settings = pgvector.settings.parse(component);
  const table = getQualifiedTable(settings);
  const backup = getQualifiedTable({ ...settings, table_name: `${settings.table_name} b` });
  const statements: Record<LossOrder, string> = {
    dropped: `drop table if exists ${table}`,
    truncated: `truncate ${table}`,
    halved: `delete from ${table} where ctid in (select ctid from (select ctid, row_number() over () as at from ${table}) each where at % 2 = 1)`,
    remember: `create table ${backup} as select * from ${table}`,
    older: `truncate ${table}; insert into ${table} select * from ${backup}`,
  };
  const database = createDatabase(settings, { settings: managedDeps.settings });
  return {
    open: fresh(opening(pgvector, () => component)),
    async lose(order: LossOrder) {
      await database().run((ask) => ask(statements[order]));
    },
  };
}

// The first test starts the database, which takes a while.
beforeAll(() => open(crypto.randomUUID(), new Directory(), 110).ensure(8), 120_000);

sinkSuite({
  kind: pgvector.kind,
  capabilities: pgvector.capabilities,
  fresh: () => fresh(open),
  preFilter: () => fresh(openNarrowed),
  failing: {
    401: failing('error 28P01'),
    403: failing('error 42501'),
    404: failing('error 3D000'),
    429: failing('error 53300'),
    500: failing('error XX000'),
    timeout: failing('silent'),
  },
  losing,
  withoutStore: ['remove', 'listChunks', 'chunk', 'stats'],
  keepsDimension: true,
});
