import { and, eq, inArray } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type Pipeline, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { BUILTIN } from '#src/models/embedding/managed.ts';

/** What queries are answered from; nothing before the first sync. */
export function liveIndex(ctx: Context, pipelineId: string) {
  const isLive = eq(pipelineIndexes.state, 'live');
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isLive))
    .limit(1);
}

/** Indexes that documents may be in: the live one, and the one being built beside it. */
export function openIndexes(ctx: Context, pipelineId: string) {
  const isOpen = inArray(pipelineIndexes.state, ['live', 'building']);
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isOpen));
}

/** Raised when chunking, analysis, what is embedded or the built-in embedder change their results: everything is indexed anew. */
export const INGEST_REVISION = 5;

/** What all chunks and vectors of an index have in common; when it changes, a new index is built. */
export function spaceOf(ctx: Context, pipeline: Pipeline): Promise<string> {
  const standsFor = ctx.models.standsFor(pipeline.embeddingConfig.type);
  return configHash({
    embedding: pipeline.embeddingConfigHash,
    // Indexes that do not say it are of the built-in one.
    ...(standsFor !== BUILTIN && { standsFor }),
    sink: pipeline.dataSinkId,
    transform: pipeline.transformConfigHash,
    revision: INGEST_REVISION,
  });
}

/** Of a pipeline's open indexes the one that fits its configuration. Undefined: a run has to make one first. */
export async function fittingIndex(
  ctx: Context,
  pipeline: Pipeline,
  open: PipelineIndex[],
): Promise<PipelineIndex | undefined> {
  const space = await spaceOf(ctx, pipeline);
  return open.find((index) => index.configHash === space);
}
