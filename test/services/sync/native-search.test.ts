import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { pipelineIndexes } from '#src/db/schema/index.ts';
import { readSettings } from '#src/settings/settings.ts';
import { createDatabase } from '#src/sinks/pgvector/database.ts';
import pgvector from '#src/sinks/pgvector/pgvector.ts';
import { getTables } from '#src/sinks/pgvector/search/tables.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

const ctx = createContext(env, { waitUntil() {} });
const settings = readSettings(env);
const { ALLOW_PRIVATE_ADDRESSES } = settings;
// The database of the tests has no public address.
beforeAll(() => {
  settings.ALLOW_PRIVATE_ADDRESSES = true;
});
afterAll(() => {
  settings.ALLOW_PRIVATE_ADDRESSES = ALLOW_PRIVATE_ADDRESSES;
});

const TEXTS = {
  'gull.txt': 'The gull eats herring.',
  'seal.txt': 'The seal sleeps on ice.',
};

const createComponent = () => ({
  ...{ host: '127.0.0.1', port: inject('relational'), database: 'postgres', user: 'postgres' },
  ...{ password: 'password of the owner', schema_name: 'synced', table_name: crypto.randomUUID() },
  ...{ embed_dim: 384, native_search: true },
});
type Component = ReturnType<typeof createComponent>;

const buildSink = (component: object) => ({ name: crypto.randomUUID(), sink_type: 'VENDOR_F', component });

async function syncedPipeline(component: Component) {
  const body = buildSink(component);
  const sink = (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body })).body.id;
  const id = await createPipeline({ data_sink_id: sink });
  const files = await addFiles(id, TEXTS);
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS', error: null });
  return { id, sink, files };
}

const parameters = { enable_reranking: false, dense_similarity_top_k: 10, sparse_similarity_top_k: 10 };
const find = async (id: string, query: string, alpha: number) =>
  (await retrieve(id, query, { ...parameters, alpha })).map(({ node }) => node.text);

const runInDatabase = (component: Component, statement: string) =>
  createDatabase(pgvector.settings.parse(component), { settings })().run((ask) => ask(statement));

const listIndexes = (pipelineId: string) =>
  ctx.db.query.pipelineIndexes.findMany({ where: eq(pipelineIndexes.pipelineId, pipelineId) });

const validate = async (sink: string) =>
  (await call<{ success: boolean; message: string }>('POST', `/api/v1/data-sinks/${sink}/validate`)).body;

it('a pipeline is searched by PostgreSQL alone, and finds no deleted file after the call returns', async () => {
  const { id, files } = await syncedPipeline(createComponent());
  expect(await listIndexes(id)).toMatchObject([{ shards: 0 }]);
  for (const alpha of [0, 0.5, 1]) {
    expect((await find(id, 'gull herring', alpha))[0]).toBe(TEXTS['gull.txt']);
  }
  const deleted = await call('DELETE', `/api/v1/pipelines/${id}/files/${files[0]}`);
  expect(deleted.status).toBeLessThan(300);
  for (const alpha of [0, 0.5, 1]) {
    expect(await find(id, 'gull herring', alpha)).not.toContain(TEXTS['gull.txt']);
  }
});

it('documents that the store lost are reported, and indexed again by the next sync', async () => {
  const component = createComponent();
  const { id, sink } = await syncedPipeline(component);
  expect(await validate(sink)).toMatchObject({ success: true });
  const { documents, chunks } = getTables(pgvector.settings.parse(component));
  await runInDatabase(component, `truncate ${documents}, ${chunks}`);
  expect(await validate(sink)).toMatchObject({
    success: false,
    message: expect.stringMatching(/lacks 2 of 2 checked vectors/),
  });
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS', progress: { counters: { indexed: 2 } } });
  expect(await find(id, 'seal ice', 0.5)).toContain(TEXTS['seal.txt']);
  expect(await validate(sink)).toMatchObject({ success: true });
});

it('a change of the mode is a rebuild, during which the old index answers', async () => {
  const component = createComponent();
  const { id, sink } = await syncedPipeline(component);
  const body = { ...buildSink({ ...component, native_search: false }), name: 'vectors only' };
  expect((await call('PUT', `/api/v1/data-sinks/${sink}`, { body })).status).toBe(200);
  expect((await find(id, 'seal ice', 0.5))[0]).toBe(TEXTS['seal.txt']);
  expect(await sync(id)).toMatchObject({ status: 'SUCCESS', progress: { counters: { indexed: 2 } } });
  expect((await find(id, 'seal ice', 0.5))[0]).toBe(TEXTS['seal.txt']);
  const states = (await listIndexes(id)).map(({ state, shards }) => `${state} ${shards}`);
  expect(states.sort()).toEqual(['live 1', 'retired 0']);
});

it('a store that cannot carry the search is refused, with the names of those that can', async () => {
  const component = { api_key: 'key', index_name: 'i', native_search: true };
  const body = { name: 'vectors', sink_type: 'VENDOR_E', component };
  const paths = ['data-sinks', 'validate-integrations/validate-data-sink-connection'];
  for (const path of paths) {
    const answer = await call<{ detail: unknown }>('POST', `/api/v1/${path}`, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([
      {
        loc: ['body', 'component', 'native_search'],
        msg: expect.stringMatching(/not available for VENDOR_E.*VENDOR_F/),
      },
    ]);
  }
});
