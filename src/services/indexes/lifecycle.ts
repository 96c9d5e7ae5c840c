import { and, eq, lt } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type Pipeline, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { messageOf } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import { followSink, sealSinkForIndex, sinkFor } from '#src/services/connections/index-sink.ts';
import { sealForIndex } from './embedding.ts';
import { fittingIndex, openIndexes, spaceOf } from './indexes.ts';
import { openSink } from './open-sink.ts';

/** Milliseconds for which a replaced index still answers running queries. */
const RETIRED_MS = 60_000;

/**
 * Returns the index that a run writes to. The live index is used while it fits the configuration. Otherwise a
 * new one is created beside it, or as the live index if there is none. Only planning calls this, so that
 * running work never creates an index. Throws SinkError if the data sink cannot be written to.
 */
export async function targetIndex(
  ctx: Context,
  pipeline: Pipeline,
  generation: number,
): Promise<PipelineIndex> {
  const sink = await sinkFor(ctx, pipeline);
  const open = await openIndexes(ctx, pipeline.id);
  const fitting = await fittingIndex(ctx, pipeline, open);
  const target = fitting && (await followSink(ctx, fitting, sink)) ? fitting : undefined;
  if (fitting && !target) await forsake(ctx, fitting);
  for (const index of open) {
    if (index.state === 'building' && index !== target) await retire(ctx, index);
  }
  if (target) {
    await catchUp(ctx, target);
    return target;
  }
  const space = await spaceOf(ctx, pipeline);
  const id = await derivedId('index', pipeline.id, space, generation, fitting?.id ?? '');
  await ctx.db
    .insert(pipelineIndexes)
    .values({
      id,
      pipelineId: pipeline.id,
      configHash: space,
      embeddingConfig: await sealForIndex(ctx, pipeline, id),
      sink: sink && (await sealSinkForIndex(ctx, sink, id)),
      state: open.some((index) => index.state === 'live') ? 'building' : 'live',
    })
    .onConflictDoNothing();
  return (await ctx.db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.id, id) }))!;
}

/**
 * Repeats operations that the store missed earlier. A store that still does not answer does not block a run.
 */
async function catchUp(ctx: Context, index: PipelineIndex): Promise<void> {
  try {
    const sink = await openSink(ctx, index);
    await sink.catchUp?.();
  } catch (error) {
    ctx.log.warn('store not caught up yet', { index: index.id, error: messageOf(error) });
  }
}

/**
 * Handles a data sink that now points elsewhere: runs write to a new index there, and queries use the old
 * index until then.
 */
async function forsake(ctx: Context, index: PipelineIndex): Promise<void> {
  await ctx.db.update(pipelineIndexes).set({ configHash: '' }).where(eq(pipelineIndexes.id, index.id));
}

/** Replaces the live index in one step. Queries see either the old or the complete new index. */
export async function promoteIndex(ctx: Context, index: PipelineIndex): Promise<void> {
  await ctx.db.batch([
    ctx.db
      .update(pipelineIndexes)
      .set({ state: 'retired' })
      .where(and(eq(pipelineIndexes.pipelineId, index.pipelineId), eq(pipelineIndexes.state, 'live'))),
    ctx.db.update(pipelineIndexes).set({ state: 'live' }).where(eq(pipelineIndexes.id, index.id)),
  ]);
}

/** Drops indexes that were replaced long enough ago. Returns true if others are still waiting. */
export async function dropRetired(ctx: Context, pipelineId: string): Promise<boolean> {
  const retired = and(eq(pipelineIndexes.pipelineId, pipelineId), eq(pipelineIndexes.state, 'retired'));
  const old = await ctx.db.query.pipelineIndexes.findMany({
    where: and(retired, lt(pipelineIndexes.updatedAt, new Date(Date.now() - RETIRED_MS))),
  });
  for (const index of old) await retire(ctx, index);
  return (await ctx.db.$count(pipelineIndexes, retired)) > 0;
}

/**
 * Empties and deletes an index. If its store cannot be reached, the index stays retired for another attempt,
 * so that a broken store does not block a pipeline that left it.
 */
async function retire(ctx: Context, index: PipelineIndex): Promise<void> {
  try {
    const sink = await openSink(ctx, index);
    await sink.drop();
  } catch (error) {
    ctx.log.warn('index not dropped yet', { index: index.id, error: messageOf(error) });
    await ctx.db.update(pipelineIndexes).set({ state: 'retired' }).where(eq(pipelineIndexes.id, index.id));
    return;
  }
  await ctx.db.delete(pipelineIndexes).where(eq(pipelineIndexes.id, index.id));
}
