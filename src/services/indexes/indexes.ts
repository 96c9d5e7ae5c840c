import { and, eq, inArray } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { type Pipeline, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/hash.ts';

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
export const INGEST_REVISION = 4;

/** What all chunks and vectors of an index have in common; when it changes, a new index is built. */
export function spaceOf(pipeline: Pipeline): Promise<string> {
  return configHash({
    embedding: pipeline.embeddingConfigHash,
    sink: pipeline.dataSinkId,
    transform: pipeline.transformConfigHash,
    revision: INGEST_REVISION,
  });
}

/** Of a pipeline's open indexes the one that fits its configuration. Undefined: a run has to make one first. */
export async function fittingIndex(
  pipeline: Pipeline,
  open: PipelineIndex[],
): Promise<PipelineIndex | undefined> {
  const space = await spaceOf(pipeline);
  return open.find((index) => index.configHash === space);
}
