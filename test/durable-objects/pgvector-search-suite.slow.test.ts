import { beforeAll, inject } from 'vitest';
import pgvector from '#src/sinks/pgvector/pgvector.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { fresh, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';

/** Small index settings, because the test database builds the graph in WebAssembly. */
const hnsw_settings = { m: 4, ef_construction: 8, ef_search: 10 };
const COMPONENT = {
  hnsw_settings,
  ...{ host: '127.0.0.1', port: inject('relational'), database: 'postgres', password: 'secret' },
  ...{ user: 'postgres', schema_name: 'shared', table_name: 'whole "indexes"', embed_dim: 8 },
  native_search: true,
};

/** Connects as a user. The test server handles some users as their name says. */
const as = (user: string) => opening(pgvector, () => ({ ...COMPONENT, user }));
const open = as('postgres');

/** Creates an index with a document, and makes its store fail. */
const failing =
  (order: string) =>
  async (silence = 0.3) => {
    const index = [crypto.randomUUID(), new Directory()] as const;
    await put(open(...index), document('b'), ['text']);
    return as(order)(...index, order === 'silent' ? silence : 30);
  };

// The first test starts the database, which takes a while.
beforeAll(() => open(crypto.randomUUID(), new Directory(), 110).ensure(8), 120_000);

sinkSuite({
  kind: pgvector.kind,
  capabilities: pgvector.capabilities,
  fresh: () => fresh(open),
  failing: {
    403: failing('error 42501'),
    500: failing('error XX000'),
    timeout: failing('silent'),
  },
  keepsDimension: true,
});
