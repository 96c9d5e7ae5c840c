import { eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  embeddingModelConfigs,
  type Pipeline,
  type PipelineIndex,
  pipelineIndexes,
} from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import { BUILTIN } from '#src/models/embedding/managed.ts';
import type { Embedder, EmbeddingConfig } from '#src/ports/embedder.ts';
import {
  hashEmbedding,
  openEmbedding,
  openStoredConfig,
  sealEmbeddingAgain,
} from '#src/services/connections/embedding-model-configs.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { resolveSparseModel } from './sparse-model.ts';

export const getEmbeddingPlace = sealedPlaces.pipelineEmbedding;

async function readEmbeddingConfig(ctx: Context, pipeline: Pipeline): Promise<EmbeddingConfig> {
  const shared = pipeline.embeddingModelConfigId
    ? await ctx.db.query.embeddingModelConfigs.findFirst({
        where: eq(embeddingModelConfigs.id, pipeline.embeddingModelConfigId),
      })
    : undefined;
  return shared
    ? openStoredConfig(ctx, shared)
    : openEmbedding(ctx, pipeline.embeddingConfig, getEmbeddingPlace(pipeline.id));
}

/**
 * Returns the embedder for a pipeline's current configuration, which may differ from that of its index.
 * Throws Conflict if this installation cannot run the embedder.
 */
export async function createOwnEmbedder(ctx: Context, pipeline: Pipeline): Promise<Embedder> {
  return ctx.models.embedding(await readEmbeddingConfig(ctx, pipeline));
}

/** Returns the embedding configuration to store in an index, with its secrets encrypted for the index. */
export async function sealForIndex(ctx: Context, pipeline: Pipeline, indexId: string) {
  const own = await readEmbeddingConfig(ctx, pipeline);
  const sealed = await sealEmbeddingAgain(ctx, own, sealedPlaces.indexEmbedding(indexId));
  const standsFor = ctx.models.standsFor(own.type);
  const sparse = resolveSparseModel(ctx, pipeline);
  return { ...sealed, ...(standsFor && { standsFor }), ...(sparse && { sparse }) };
}

/**
 * Returns the embedder for queries of an index. While a new index is built, the pipeline's configuration may
 * be newer than that of the live index. If both result in the same vectors, the pipeline's configuration is
 * used, because its API key is newer.
 */
export async function createIndexEmbedder(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
): Promise<Embedder> {
  const { embeddingConfig } = index;
  // The configuration is read again, because it may have changed since the pipeline was read.
  const own = await readEmbeddingConfig(ctx, pipeline);
  const standsFor = embeddingConfig?.standsFor ?? BUILTIN;
  if (!embeddingConfig || (await hashEmbedding(ctx, embeddingConfig)) === (await hashEmbedding(ctx, own))) {
    return enforceDimension(ctx, index, ctx.models.embedding({ ...own, standsFor }));
  }
  const opened = await openEmbedding(ctx, embeddingConfig, sealedPlaces.indexEmbedding(index.id));
  return enforceDimension(ctx, index, ctx.models.embedding({ ...opened, standsFor }));
}

/**
 * Wraps an embedder so that all vectors of an index have the same dimension. The first vector of a document
 * sets the dimension. `embed` throws Conflict if the model returns another dimension, before the vectors are
 * stored or compared.
 */
export function enforceDimension(ctx: Context, index: PipelineIndex, embedder: Embedder): Embedder {
  let known = index.dimension;
  return {
    modelId: embedder.modelId,
    get dimension() {
      return known ?? embedder.dimension;
    },
    async embed(texts, purpose, signal) {
      const vectors = await embedder.embed(texts, purpose, signal);
      const given = vectors[0]?.length;
      if (given === undefined || given === known) return vectors;
      // Only vectors of documents set the dimension, because vectors of queries are not stored.
      if (known === null && purpose === 'document') known = await claimDimension(ctx, index, given);
      if (known !== null && known !== given) throw createDimensionConflict(embedder, known, given);
      return vectors;
    },
  };
}

/**
 * Sets the dimension of the index and returns it. If another call has already set a dimension, that dimension
 * is returned.
 */
async function claimDimension(ctx: Context, { id }: PipelineIndex, given: number): Promise<number> {
  const [row] = await ctx.db
    .update(pipelineIndexes)
    .set({ dimension: sql`coalesce(${pipelineIndexes.dimension}, ${given})` })
    .where(eq(pipelineIndexes.id, id))
    .returning({ dimension: pipelineIndexes.dimension });
  return row?.dimension ?? given;
}

function createDimensionConflict({ modelId }: Embedder, known: number, given: number): Conflict {
  const what = `the index has vectors with ${known} dimensions, but ${modelId} returned ${given}`;
  return new Conflict(
    `embedding_config: ${what}. If you changed embedding_config, start a sync to build a new index.`,
  );
}
