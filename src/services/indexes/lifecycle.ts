import { and, eq, lt } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type Pipeline, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { Conflict, getErrorMessage } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import { getPipelineSink, sealSinkForIndex, updateIndexSink } from '#src/services/connections/index-sink.ts';
import { usesNativeSearch } from '#src/sinks/native/native-search.ts';
import { sealForIndex } from './embedding.ts';
import { findFittingIndex, hashIndexConfig, selectOpenIndexes } from './indexes.ts';
import { openSink } from './open-sink.ts';
import { findSparseModelRefusal } from './sparse-model.ts';

/** Time in milliseconds for which a replaced index still answers running queries. */
const RETIRED_MS = 60_000;

/**
 * Returns the index that a sync run writes to. If no index fits the configuration, a new one is created,
 * which is live immediately if there is no live index. Only planning calls this function, so that running
 * work never creates an index. Throws SinkError if this installation cannot write to the data sink, and Conflict if the
 * data sink cannot search by the weights of a learned sparse model.
 */
export async function prepareTargetIndex(
  ctx: Context,
  pipeline: Pipeline,
  generation: number,
): Promise<PipelineIndex> {
  const sink = await getPipelineSink(ctx, pipeline);
  const refusal = sink && findSparseModelRefusal(ctx, pipeline, sink.component);
  if (refusal) throw new Conflict(`sparse_model_config.model_type: ${refusal}`);
  const open = await selectOpenIndexes(ctx, pipeline.id);
  const fitting = await findFittingIndex(ctx, pipeline, open);
  const target = fitting && (await updateIndexSink(ctx, fitting, sink)) ? fitting : undefined;
  if (fitting && !target) await abandonIndex(ctx, fitting);
  for (const index of open) {
    if (index.state === 'building' && index !== target) await dropIndex(ctx, index);
  }
  if (target) {
    await catchUpStore(ctx, target);
    return target;
  }
  const space = await hashIndexConfig(ctx, pipeline);
  const id = await derivedId('index', pipeline.id, space, generation, fitting?.id ?? '');
  await ctx.db
    .insert(pipelineIndexes)
    .values({
      id,
      pipelineId: pipeline.id,
      configHash: space,
      embeddingConfig: await sealForIndex(ctx, pipeline, id),
      sink: sink && (await sealSinkForIndex(ctx, sink, id)),
      // If the store carries the whole search, the index has no shards.
      ...(sink && usesNativeSearch(sink.component) && { shards: 0 }),
      state: open.some((index) => index.state === 'live') ? 'building' : 'live',
    })
    .onConflictDoNothing();
  return (await ctx.db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.id, id) }))!;
}

/**
 * Repeats changes that the vector store missed while it was unavailable. A store that still does not answer
 * does not prevent the sync.
 */
async function catchUpStore(ctx: Context, index: PipelineIndex): Promise<void> {
  try {
    const sink = await openSink(ctx, index);
    await sink.catchUp?.();
  } catch (error) {
    ctx.log.warn('the vector store missed changes and cannot be updated yet', {
      index: index.id,
      error: getErrorMessage(error),
    });
  }
}

/**
 * Ensures that the next sync run creates a new index, because the data sink now points to another location.
 * Queries use the old index until the new one is complete.
 */
async function abandonIndex(ctx: Context, index: PipelineIndex): Promise<void> {
  await ctx.db.update(pipelineIndexes).set({ configHash: '' }).where(eq(pipelineIndexes.id, index.id));
}

/** Replaces the live index in one batch. Queries use either the old index or the complete new one. */
export async function promoteIndex(ctx: Context, index: PipelineIndex): Promise<void> {
  await ctx.db.batch([
    ctx.db
      .update(pipelineIndexes)
      .set({ state: 'retired' })
      .where(and(eq(pipelineIndexes.pipelineId, index.pipelineId), eq(pipelineIndexes.state, 'live'))),
    ctx.db.update(pipelineIndexes).set({ state: 'live' }).where(eq(pipelineIndexes.id, index.id)),
  ]);
}

/**
 * Deletes indexes that were replaced long enough ago. Returns true if further replaced indexes are waiting.
 */
export async function dropRetired(ctx: Context, pipelineId: string): Promise<boolean> {
  const retired = and(eq(pipelineIndexes.pipelineId, pipelineId), eq(pipelineIndexes.state, 'retired'));
  const old = await ctx.db.query.pipelineIndexes.findMany({
    where: and(retired, lt(pipelineIndexes.updatedAt, new Date(Date.now() - RETIRED_MS))),
  });
  for (const index of old) await dropIndex(ctx, index);
  return (await ctx.db.$count(pipelineIndexes, retired)) > 0;
}

/**
 * Deletes an index and its vectors. If the vector store is unreachable, the index stays retired and is
 * deleted later. An unavailable store therefore does not block a pipeline that no longer uses it.
 */
async function dropIndex(ctx: Context, index: PipelineIndex): Promise<void> {
  try {
    const sink = await openSink(ctx, index);
    await sink.drop();
  } catch (error) {
    ctx.log.warn('deleting an index failed and will be retried', {
      index: index.id,
      error: getErrorMessage(error),
    });
    await ctx.db.update(pipelineIndexes).set({ state: 'retired' }).where(eq(pipelineIndexes.id, index.id));
    return;
  }
  await ctx.db.delete(pipelineIndexes).where(eq(pipelineIndexes.id, index.id));
}
