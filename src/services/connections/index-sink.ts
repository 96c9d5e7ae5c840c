import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  type DataSink,
  dataSinks,
  type Pipeline,
  type PipelineIndex,
  pipelineIndexes,
  pipelines,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import type { Component } from '#src/lib/schema/component.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { isSameLocation, sinkComponents, sinkDriver } from '#src/sinks/registry.ts';
import { componentStore } from './components.ts';

export interface SinkConfig {
  type: string;
  component: Component;
}

const createStore = (ctx: Context) => componentStore(ctx, sinkComponents, { freeForm: true });

/**
 * Returns the vector store of a pipeline, with decrypted secrets. Returns `undefined` for the managed index.
 * Throws if this installation has no driver for the vector store.
 */
export async function getPipelineSink(
  ctx: Context,
  { dataSinkId }: Pipeline,
): Promise<SinkConfig | undefined> {
  if (!dataSinkId) return undefined;
  const row = await ctx.db.query.dataSinks.findFirst({ where: eq(dataSinks.id, dataSinkId) });
  if (!row) throw new NotFound('Data sink', dataSinkId);
  const config = await openDataSink(ctx, row);
  sinkDriver(config.type, config.component);
  return config;
}

export async function openDataSink(ctx: Context, { id, sinkType, component }: DataSink): Promise<SinkConfig> {
  return { type: sinkType, component: await createStore(ctx).open(component, sealedPlaces.dataSink(id)) };
}

/**
 * Returns the settings of the vector store with secrets encrypted for the index. The index keeps these
 * settings even if the pipeline changes its data sink, because queries and the deletion still need them.
 */
export async function sealSinkForIndex(
  ctx: Context,
  { type, component }: SinkConfig,
  indexId: string,
): Promise<SinkConfig> {
  return {
    type,
    component: await createStore(ctx).sealAgain(type, component, sealedPlaces.indexSink(indexId)),
  };
}

/**
 * Returns the vector store of an index, with decrypted secrets. Returns `undefined` for the managed index.
 */
export async function openIndexSink(
  ctx: Context,
  { id, sink }: PipelineIndex,
): Promise<SinkConfig | undefined> {
  if (!sink) return undefined;
  const { type, component } = sink;
  return { type, component: await createStore(ctx).open(component, sealedPlaces.indexSink(id)) };
}

/**
 * Stores the new settings of a data sink in the indexes that use it. Indexes whose location changed are
 * rebuilt by the next sync.
 */
export async function updateIndexSinks(ctx: Context, row: DataSink): Promise<void> {
  const config = await openDataSink(ctx, row);
  const indexes = await ctx.db
    .select({ index: pipelineIndexes })
    .from(pipelineIndexes)
    .innerJoin(pipelines, eq(pipelines.id, pipelineIndexes.pipelineId))
    .where(eq(pipelines.dataSinkId, row.id));
  for (const { index } of indexes) await updateIndexSink(ctx, index, config);
}

/**
 * Stores changed settings, such as a new API key, in the index. Returns false if the settings refer to
 * another location.
 */
export async function updateIndexSink(
  ctx: Context,
  index: PipelineIndex,
  config: SinkConfig | undefined,
): Promise<boolean> {
  const own = await openIndexSink(ctx, index);
  if (!own || !config) return !own && !config;
  if (own.type !== config.type || !isSameLocation(own.type, own.component, config.component)) return false;
  if (JSON.stringify(own.component) === JSON.stringify(config.component)) return true;
  const sink = await sealSinkForIndex(ctx, config, index.id);
  await ctx.db
    .update(pipelineIndexes)
    .set({ sink })
    .where(and(eq(pipelineIndexes.id, index.id), eq(pipelineIndexes.sink, index.sink!)));
  return true;
}
