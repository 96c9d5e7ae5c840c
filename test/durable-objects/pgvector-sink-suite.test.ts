import { beforeAll, inject } from 'vitest';
import { databaseOf } from '#src/sinks/pgvector/database.ts';
import pgvector from '#src/sinks/pgvector/pgvector.ts';
import { PgvectorStore } from '#src/sinks/pgvector/store.ts';
import { tableOf } from '#src/sinks/pgvector/table.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import type { LossOrder } from '#test/vendors/losses.ts';
import { fresh, namingNone, opening } from './external-index.ts';
import { Directory, managedDeps } from './managed-index.ts';

/** A small graph: the database of the tests builds it in WebAssembly. */
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

/** As somebody: the server answers some users in the way that their name says. */
const as = (user: string) => opening(pgvector, () => ({ ...COMPONENT, user }));
const open = as('postgres');
const openNarrowed = opening(
  namingNone(pgvector, (settings, deps) => new PgvectorStore(settings, deps)),
  () => COMPONENT,
);

/** An index with a document in it, whose store then fails so. */
const failing =
  (order: string) =>
  async (silence = 0.3) => {
    const index = [crypto.randomUUID(), new Directory()] as const;
    await put(open(...index), document('b'), ['text']);
    return as(order)(...index, order === 'silent' ? silence : 30);
  };

/** A new index in a table of its own, which statements of the test change behind the sink's back. */
function losing() {
  const component = { ...COMPONENT, table_name: `lost ${crypto.randomUUID()}` };
  const settings = pgvector.settings.parse(component);
  const table = tableOf(settings);
  const backup = tableOf({ ...settings, table_name: `${settings.table_name} b` });
  const statements: Record<LossOrder, string> = {
    dropped: `drop table if exists ${table}`,
    truncated: `truncate ${table}`,
    halved: `delete from ${table} where ctid in (select ctid from (select ctid, row_number() over () as at from ${table}) each where at % 2 = 1)`,
    remember: `create table ${backup} as select * from ${table}`,
    older: `truncate ${table}; insert into ${table} select * from ${backup}`,
  };
  const database = databaseOf(settings, { settings: managedDeps.settings });
  return {
    open: fresh(opening(pgvector, () => component)),
    async lose(order: LossOrder) {
      await database().run((ask) => ask(statements[order]));
    },
  };
}

// The database is started by whoever comes first, which takes its time.
beforeAll(() => open(crypto.randomUUID(), new Directory(), 110).ensure(8), 120_000);

sinkSuite({
  kind: pgvector.kind,
  capabilities: pgvector.capabilities,
  fresh: () => fresh(open),
  narrowing: () => fresh(openNarrowed),
  failing: {
    401: failing('error 28P01'),
    403: failing('error 42501'),
    404: failing('error 3D000'),
    429: failing('error 53300'),
    500: failing('error XX000'),
    timeout: failing('silent'),
  },
  losing,
  withoutStore: ['remove', 'chunksOf', 'chunk', 'stats'],
  keepsDimension: true,
  oneFilterIn: 5,
});
