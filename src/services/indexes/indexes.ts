import { and, eq, inArray } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type Pipeline, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { BUILTIN } from '#src/models/embedding/managed.ts';
import { resolveSparseModel } from './sparse-model.ts';

/** Selects the index that answers queries of a pipeline. Before the first sync there is none. */
export function selectLiveIndex(ctx: Context, pipelineId: string) {
  const isLive = eq(pipelineIndexes.state, 'live');
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isLive))
    .limit(1);
}

/** Selects the indexes that may contain documents: the live index and the one that is being built. */
export function selectOpenIndexes(ctx: Context, pipelineId: string) {
  const isOpen = inArray(pipelineIndexes.state, ['live', 'building']);
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isOpen));
}

/**
 * Revision of chunking, text analysis, embedded text and the built-in embedder. Increasing the number makes
 * all pipelines index their documents again.
 */
export const INGEST_REVISION = 7;

/**
 * Returns a hash of everything that all chunks and vectors of an index have in common. If the hash changes, a
 * new index is built.
 */
export function hashIndexConfig(ctx: Context, pipeline: Pipeline): Promise<string> {
  const standsFor = ctx.models.standsFor(pipeline.embeddingConfig.type);
  const sparse = resolveSparseModel(ctx, pipeline);
  return configHash({
    embedding: pipeline.embeddingConfigHash,
    // The built-in embedder adds no entry, so that the hash stays equal to that of older indexes, which use
    // this embedder.
    ...(standsFor !== BUILTIN && { standsFor }),
    ...(sparse && { sparse }),
    sink: pipeline.dataSinkId,
    transform: pipeline.transformConfigHash,
    revision: INGEST_REVISION,
  });
}

/**
 * Returns the index that fits the pipeline's configuration, live or being built. Returns `undefined` if a
 * sync has to create one first.
 */
export async function findFittingIndex(
  ctx: Context,
  pipeline: Pipeline,
  open: PipelineIndex[],
): Promise<PipelineIndex | undefined> {
  const space = await hashIndexConfig(ctx, pipeline);
  return open.find((index) => index.configHash === space);
}
