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

/** Type and settings of a vector store. */
export interface SinkConfig {
  type: string;
  component: Component;
}

const store = (ctx: Context) => componentStore(ctx, sinkComponents, { freeForm: true });

/**
 * Returns the store that the pipeline writes to, with decrypted secrets; undefined for the managed index.
 * Throws SinkError if this installation cannot write there.
 */
export async function sinkFor(ctx: Context, { dataSinkId }: Pipeline): Promise<SinkConfig | undefined> {
  if (!dataSinkId) return undefined;
  const row = await ctx.db.query.dataSinks.findFirst({ where: eq(dataSinks.id, dataSinkId) });
  if (!row) throw new NotFound('Data sink', dataSinkId);
  const config = await openDataSink(ctx, row);
  sinkDriver(config.type, config.component);
  return config;
}

/** Returns the settings of a data sink with decrypted secrets. */
export async function openDataSink(ctx: Context, { id, sinkType, component }: DataSink): Promise<SinkConfig> {
  return { type: sinkType, component: await store(ctx).open(component, sealedPlaces.dataSink(id)) };
}

/**
 * Returns the sealed settings of the store that holds an index. The index is queried and dropped there, even
 * if its pipeline changes its data sink.
 */
export async function sealSinkForIndex(
  ctx: Context,
  { type, component }: SinkConfig,
  indexId: string,
): Promise<SinkConfig> {
  return { type, component: await store(ctx).sealAgain(type, component, sealedPlaces.indexSink(indexId)) };
}

/** Returns the store of an index with decrypted secrets; undefined for the managed index. */
export async function sinkOfIndex(
  ctx: Context,
  { id, sink }: PipelineIndex,
): Promise<SinkConfig | undefined> {
  if (!sink) return undefined;
  const { type, component } = sink;
  return { type, component: await store(ctx).open(component, sealedPlaces.indexSink(id)) };
}

/**
 * Passes new settings of a data sink to its indexes. Indexes at another place are built again by the next
 * run.
 */
export async function followDataSink(ctx: Context, row: DataSink): Promise<void> {
  const config = await openDataSink(ctx, row);
  const indexes = await ctx.db
    .select({ index: pipelineIndexes })
    .from(pipelineIndexes)
    .innerJoin(pipelines, eq(pipelines.id, pipelineIndexes.pipelineId))
    .where(eq(pipelines.dataSinkId, row.id));
  for (const { index } of indexes) await followSink(ctx, index, config);
}

/**
 * Stores changed settings, such as a new key, with the index. Returns false if they refer to another place.
 */
export async function followSink(
  ctx: Context,
  index: PipelineIndex,
  config: SinkConfig | undefined,
): Promise<boolean> {
  const own = await sinkOfIndex(ctx, index);
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
