import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { pipelineIndexes } from '#src/db/schema/index.ts';
import { dropRetired } from '#src/services/indexes/lifecycle.ts';
import { createSinkDeps } from '#src/services/indexes/open-sink.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { toDirection } from '#test/suites/sink/content.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';
import { useVendors } from '#test/vendors/client.ts';

const ctx = createContext(env, { waitUntil() {} });
const vendors = useVendors({ vendor: 'qdrant', base: 'https://93.184.215.14:6333' });
const UPSERT = 'PUT /collections/{collection_name}/points';
const DELETE = 'POST /collections/{collection_name}/points/delete';

const createComponent = (collection_name: string) => ({
  ...{ api_key: 'key-of-the-vendor', url: 'https://93.184.215.14', max_retries: 0 },
  collection_name,
});

async function createSink(collection: string): Promise<string> {
  const body = { name: collection, sink_type: 'VENDOR_G', component: createComponent(collection) };
  return (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body })).body.id;
}

const change = async (pipelineId: string, body: Record<string, unknown>) =>
  expect((await call('PUT', `/api/v1/pipelines/${pipelineId}`, { body })).status).toBe(200);

const listIndexes = (pipelineId: string) =>
  ctx.db.query.pipelineIndexes.findMany({ where: eq(pipelineIndexes.pipelineId, pipelineId) });
/** Returns the collection that answers queries of the pipeline, or `managed`. */
const liveIn = async (pipelineId: string) => {
  const live = (await listIndexes(pipelineId)).find(({ state }) => state === 'live')!;
  return (live.sink?.component.collection_name as string | undefined) ?? 'managed';
};

/** Counts the points that a collection holds for the given indexes. */
async function held(collection: string, indexIds: string[]): Promise<number> {
  const settings = qdrant.settings.parse(createComponent(collection));
  const { vectors } = (await vendorCollection(collection)) ?? {};
  if (!vectors) return 0;
  const vector = toDirection('x', vectors.size);
  const each = indexIds.map((indexId) =>
    createQdrantStore(settings, { ...createSinkDeps(ctx), indexId }).query(vector, 1_000),
  );
  return (await Promise.all(each)).flat().length;
}

async function vendorCollection(name: string): Promise<{ vectors: { size: number } } | undefined> {
  const headers = { 'api-key': 'key-of-the-vendor' };
  const answer = await fetch(`https://93.184.215.14:6333/collections/${name}`, { headers });
  if (!answer.ok) return undefined;
  const { result } = (await answer.json()) as {
    result: { config: { params: { vectors: { size: number } } } };
  };
  return result.config.params;
}

async function texts(pipelineId: string): Promise<string[]> {
  const nodes = await retrieve(pipelineId, 'marzipan', { alpha: 1, dense_similarity_top_k: 10 });
  return nodes.map(({ node }) => node.text.trim()).sort();
}

async function emptyRetired(pipelineId: string): Promise<void> {
  const longAgo = { updatedAt: new Date(0) };
  await ctx.db.update(pipelineIndexes).set(longAgo).where(eq(pipelineIndexes.pipelineId, pipelineId));
  expect(await dropRetired(ctx, pipelineId)).toBe(false);
}

const FILES = { 'one.txt': 'The first note is of marzipan.', 'two.txt': 'The second note is of marzipan.' };
const BOTH = Object.values(FILES);
const busy = (on: string) => ({ kind: 'status', status: 503, headers: { 'retry-after': '0' }, on }) as const;

describe('a sync to another store', () => {
  it('keeps queries on the old store until the new one is complete, and then empties the old one', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, FILES);
    expect((await sync(pipelineId)).status).toBe('SUCCESS');
    expect([await liveIn(pipelineId), await texts(pipelineId)]).toEqual(['managed', BOTH]);

    let before = 'managed';
    for (const collection of ['first', 'second']) {
      await change(pipelineId, { data_sink_id: await createSink(collection) });
      expect([await liveIn(pipelineId), await texts(pipelineId)]).toEqual([before, BOTH]);
      expect((await sync(pipelineId)).status).toBe('SUCCESS');
      expect([await liveIn(pipelineId), await texts(pipelineId)]).toEqual([collection, BOTH]);
      const ids = (await listIndexes(pipelineId)).map(({ id }) => id);
      await emptyRetired(pipelineId);
      expect(await held(collection, ids)).toBe(2);
      if (before !== 'managed') expect(await held(before, ids)).toBe(0);
      before = collection;
    }
    expect((await listIndexes(pipelineId)).map(({ state }) => state)).toEqual(['live']);
  });
});

describe('a store that is temporarily unavailable', () => {
  it('has every point exactly once after lost responses and retries', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, FILES);
    expect((await sync(pipelineId)).status).toBe('SUCCESS');
    await change(pipelineId, { data_sink_id: await createSink('third') });
    await vendors.current.fail({ kind: 'cut', on: UPSERT }, busy(UPSERT));
    const { status, progress } = await sync(pipelineId);
    expect([status, progress?.counters.retries]).toEqual(['SUCCESS', expect.any(Number)]);
    expect([await liveIn(pipelineId), await texts(pipelineId)]).toEqual(['third', BOTH]);
    const ids = (await listIndexes(pipelineId)).map(({ id }) => id);
    expect(await held('third', ids)).toBe(2);
  });

  it('hides a file that is deleted while the store is unavailable, and removes its points with the next sync', async () => {
    const pipelineId = await createPipeline({ data_sink_id: await createSink('fourth') });
    const [one] = await addFiles(pipelineId, FILES);
    expect((await sync(pipelineId)).status).toBe('SUCCESS');
    const ids = (await listIndexes(pipelineId)).map(({ id }) => id);
    await vendors.current.fail(busy(DELETE));
    expect((await call('DELETE', `/api/v1/pipelines/${pipelineId}/files/${one}`)).status).toBe(204);
    const { seen } = await vendors.current.state();
    expect(seen.find(({ operation, status }) => operation === DELETE && status === 503)).toBeDefined();
    expect(await texts(pipelineId)).toEqual([BOTH[1]]);
    expect((await sync(pipelineId)).status).toBe('SUCCESS');
    expect([await texts(pipelineId), await held('fourth', ids)]).toEqual([[BOTH[1]], 1]);
  });
});
