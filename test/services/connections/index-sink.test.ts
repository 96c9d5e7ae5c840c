import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { dataSinks, type PipelineIndex, pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import { openIndexSink, sealSinkForIndex } from '#src/services/connections/index-sink.ts';
import { findFittingIndex, hashIndexConfig, selectOpenIndexes } from '#src/services/indexes/indexes.ts';
import { dropRetired, prepareTargetIndex } from '#src/services/indexes/lifecycle.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';

const ctx = createContext(env, { waitUntil() {} });
const COMPONENT = { api_key: 'first', url: 'https://vectors.example', collection_name: 'c' };

async function createSink(component = COMPONENT): Promise<string> {
  const body = { name: 'vectors', sink_type: 'VENDOR_G', component };
  return (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body })).body.id;
}

const pipelineRow = async (id: string) =>
  (await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
const indexRow = (id: string) =>
  ctx.db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.id, id) });

/** Inserts an index as a sync would, in a store that cannot be reached. */
async function indexIn(pipelineId: string, state: PipelineIndex['state'], component = COMPONENT) {
  const id = crypto.randomUUID();
  const sink = await sealSinkForIndex(ctx, { type: 'VENDOR_G', component }, id);
  const configHash = await hashIndexConfig(ctx, await pipelineRow(pipelineId));
  await ctx.db.insert(pipelineIndexes).values({ id, pipelineId, configHash, state, sink });
  return (await indexRow(id))!;
}

describe('the store of an index', () => {
  it('is sealed, and can only be opened for this index', async () => {
    const index = await indexIn(await createPipeline(), 'live');
    expect(JSON.stringify(index.sink)).not.toContain('first');
    expect((await openIndexSink(ctx, index))?.component).toMatchObject(COMPONENT);
    await expect(openIndexSink(ctx, { ...index, id: crypto.randomUUID() })).rejects.toThrow('another place');
  });

  it('takes new credentials from its data sink, but not a new location', async () => {
    const id = await createSink();
    const index = await indexIn(await createPipeline({ data_sink_id: id }), 'live');
    const kept = async () => (await openIndexSink(ctx, (await indexRow(index.id))!))?.component;
    const update = (component: object) =>
      call('PUT', `/api/v1/data-sinks/${id}`, { body: { sink_type: 'VENDOR_G', component } });
    await update({ ...COMPONENT, api_key: 'second', max_retries: 9 });
    expect(await kept()).toMatchObject({ api_key: 'second', max_retries: 9 });
    await update({ ...COMPONENT, api_key: 'third', collection_name: 'elsewhere' });
    expect(await kept()).toMatchObject({ api_key: 'second', collection_name: 'c' });
    await call('PUT', `/api/v1/data-sinks/${id}`, {
      body: { sink_type: 'VENDOR_C', component: { uri: 'https://vectors.example' } },
    });
    expect((await indexRow(index.id))?.sink?.type).toBe('VENDOR_G');
  });

  it('is opened instead of the current data sink of the pipeline', async () => {
    const index = await indexIn(await createPipeline(), 'live');
    expect(await openSink(ctx, index)).toMatchObject({ kind: 'VENDOR_G' });
    const unknown = await ctx.db
      .update(pipelineIndexes)
      .set({ sink: { type: 'VENDOR_C', component: { anything: 'x' } } })
      .where(eq(pipelineIndexes.id, index.id))
      .returning();
    await expect(openSink(ctx, unknown[0]!)).rejects.toMatchObject({
      name: 'SinkError',
      message: expect.stringContaining('does not match the data sink type VENDOR_C'),
      retryable: false,
    });
    const managed = await openSink(ctx, { ...index, sink: null });
    expect(await managed.stats()).toMatchObject({ documents: 0 });
  });
});

describe('a pipeline that moves to another store', () => {
  it('builds its index in the new store while queries use the old one', async () => {
    const pipelineId = await createPipeline();
    const old = await indexIn(pipelineId, 'live');
    const pipeline = await pipelineRow(pipelineId);
    const target = await prepareTargetIndex(ctx, pipeline, 1);
    expect(target).toMatchObject({ state: 'building', sink: null });
    const open = await selectOpenIndexes(ctx, pipelineId);
    for (const inAnyOrder of [open, open.toReversed()]) {
      expect((await findFittingIndex(ctx, pipeline, inAnyOrder))?.id).toBe(target.id);
    }
    expect((await indexRow(old.id))?.state).toBe('live');
    expect((await prepareTargetIndex(ctx, pipeline, 1)).id).toBe(target.id);
  });

  it('is not blocked if the old store cannot be reached', async () => {
    const pipelineId = await createPipeline();
    const begun = await indexIn(pipelineId, 'building', { ...COMPONENT, collection_name: 'begun' });
    expect(await prepareTargetIndex(ctx, await pipelineRow(pipelineId), 1)).toMatchObject({ sink: null });
    expect((await indexRow(begun.id))?.state).toBe('retired');
    await ctx.db
      .update(pipelineIndexes)
      .set({ updatedAt: new Date(0) })
      .where(eq(pipelineIndexes.id, begun.id));
    expect(await dropRetired(ctx, pipelineId)).toBe(true);
    expect(await indexRow(begun.id)).toBeDefined();
  });

  it('gets no index in a data sink that is missing or cannot be written to', async () => {
    const body = { name: 'v', sink_type: 'VENDOR_C', component: { anything: 'x' } };
    const { id } = (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body })).body;
    const pipelineId = await createPipeline({ data_sink_id: id });
    const pipeline = await pipelineRow(pipelineId);
    await expect(prepareTargetIndex(ctx, pipeline, 1)).rejects.toMatchObject({
      name: 'SinkError',
      retryable: false,
    });
    const lost = { ...pipeline, dataSinkId: crypto.randomUUID() };
    await expect(prepareTargetIndex(ctx, lost, 1)).rejects.toMatchObject({ code: 'not_found' });
    expect(await selectOpenIndexes(ctx, pipelineId)).toEqual([]);
    expect(await ctx.db.$count(dataSinks, eq(dataSinks.id, id))).toBe(1);
  });
});
