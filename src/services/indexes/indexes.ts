import { and, eq, inArray } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type Pipeline, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { BUILTIN } from '#src/models/embedding/managed.ts';

/** Selects the index that answers queries. There is none before the first sync. */
export function liveIndex(ctx: Context, pipelineId: string) {
  const isLive = eq(pipelineIndexes.state, 'live');
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isLive))
    .limit(1);
}

/** Selects all indexes that may contain documents: the live one and the one being built. */
export function openIndexes(ctx: Context, pipelineId: string) {
  const isOpen = inArray(pipelineIndexes.state, ['live', 'building']);
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isOpen));
}

/**
 * Revision of chunking, analysis, embedded text and the built-in embedder. Raising it makes every pipeline
 * index its documents again.
 */
export const INGEST_REVISION = 5;

/**
 * Returns a hash of everything that all chunks and vectors of an index share. If it changes, a new index is
 * built.
 */
export function spaceOf(ctx: Context, pipeline: Pipeline): Promise<string> {
  const standsFor = ctx.models.standsFor(pipeline.embeddingConfig.type);
  return configHash({
    embedding: pipeline.embeddingConfigHash,
    // Older indexes have no entry and belong to the built-in embedder.
    ...(standsFor !== BUILTIN && { standsFor }),
    sink: pipeline.dataSinkId,
    transform: pipeline.transformConfigHash,
    revision: INGEST_REVISION,
  });
}

/**
 * Returns the open index that fits the pipeline's configuration, or undefined if a run has to create one
 * first.
 */
export async function fittingIndex(
  ctx: Context,
  pipeline: Pipeline,
  open: PipelineIndex[],
): Promise<PipelineIndex | undefined> {
  const space = await spaceOf(ctx, pipeline);
  return open.find((index) => index.configHash === space);
}
