import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { type PipelineIndex, pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import { selectLiveIndex } from '#src/services/indexes/indexes.ts';
import { dropRetired, prepareTargetIndex, promoteIndex } from '#src/services/indexes/lifecycle.ts';
import { createSinkDeps, openSink } from '#src/services/indexes/open-sink.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { document, toDirection } from '#test/suites/sink/content.ts';
import { idsNear, put } from '#test/suites/sink/fixture.ts';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { useVendors } from '#test/vendors/client.ts';

const service = createContext(env, { waitUntil() {} });
// The test vendor has no public address.
const ctx = { ...service, settings: { ...service.settings, ALLOW_PRIVATE_ADDRESSES: true } };
const vendors = useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });

const createComponent = (collection_name: string) => ({
  ...{ api_key: 'key-of-the-vendor', url: 'https://vectors.test', max_retries: 0 },
  collection_name,
});

async function createSink(collection: string): Promise<string> {
  const body = { name: collection, sink_type: 'VENDOR_G', component: createComponent(collection) };
  return (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body })).body.id;
}

const pipelineRow = async (id: string) =>
  (await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
const getState = async ({ id }: PipelineIndex) =>
  (await ctx.db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.id, id) }))?.state;

/** Counts the points that a collection holds for an index. */
async function held(collection: string, { id: indexId }: PipelineIndex): Promise<number> {
  const settings = qdrant.settings.parse(createComponent(collection));
  const store = createQdrantStore(settings, { ...createSinkDeps(ctx), indexId });
  return (await store.query(toDirection('x'), 100)).length;
}

/** Returns the ids that queries of the pipeline find. */
async function answered(pipelineId: string): Promise<string[]> {
  const [live] = await selectLiveIndex(ctx, pipelineId);
  return idsNear(await openSink(ctx, live!));
}

it('a pipeline that changes its store answers from the old one until the new one is complete, then empties the old one', async () => {
  const pipelineId = await createPipeline({ data_sink_id: await createSink('first') });
  const old = await prepareTargetIndex(ctx, await pipelineRow(pipelineId), 1);
  for (const id of ['a', 'b']) await put(await openSink(ctx, old), document(id), ['walrus']);
  expect([old.state, await answered(pipelineId)]).toEqual(['live', ['a/1/0', 'b/1/0']]);

  const body = { data_sink_id: await createSink('second') };
  expect((await call('PUT', `/api/v1/pipelines/${pipelineId}`, { body })).status).toBe(200);
  const built = await prepareTargetIndex(ctx, await pipelineRow(pipelineId), 2);
  expect(built.state).toBe('building');
  await put(await openSink(ctx, built), document('a', 2), ['walrus']);
  expect(await answered(pipelineId)).toEqual(['a/1/0', 'b/1/0']);
  await put(await openSink(ctx, built), document('b', 2), ['walrus']);
  await promoteIndex(ctx, built);
  expect(await answered(pipelineId)).toEqual(['a/2/0', 'b/2/0']);

  const longAgo = { updatedAt: new Date(0) };
  await ctx.db.update(pipelineIndexes).set(longAgo).where(eq(pipelineIndexes.id, old.id));
  await vendors.current.fail({ kind: 'status', status: 503 });
  expect(await dropRetired(ctx, pipelineId)).toBe(true);
  expect([await getState(old), await held('first', old)]).toEqual(['retired', 2]);
  await ctx.db.update(pipelineIndexes).set(longAgo).where(eq(pipelineIndexes.id, old.id));
  expect(await dropRetired(ctx, pipelineId)).toBe(false);
  expect([await getState(old), await held('first', old), await held('second', built)]).toEqual([
    undefined,
    0,
    2,
  ]);
  expect(await answered(pipelineId)).toEqual(['a/2/0', 'b/2/0']);
});

it('a new run repeats deletions that the store could not receive', async () => {
  const pipelineId = await createPipeline({ data_sink_id: await createSink('third') });
  const index = await prepareTargetIndex(ctx, await pipelineRow(pipelineId), 1);
  await put(await openSink(ctx, index), document('a'), ['walrus']);
  await vendors.current.fail({ kind: 'status', status: 503 });
  await (await openSink(ctx, index)).remove(['a'], Date.now());
  expect(await held('third', index)).toBe(1);
  await vendors.current.fail({ kind: 'status', status: 503 });
  expect((await prepareTargetIndex(ctx, await pipelineRow(pipelineId), 2)).id).toBe(index.id);
  expect(await held('third', index)).toBe(1);
  expect((await prepareTargetIndex(ctx, await pipelineRow(pipelineId), 3)).id).toBe(index.id);
  expect(await held('third', index)).toBe(0);
});
