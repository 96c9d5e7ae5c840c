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
  embeddingHash,
  openEmbedding,
  openStoredConfig,
  sealEmbeddingAgain,
} from '#src/services/connections/embedding-model-configs.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';

export const embeddingPlace = sealedPlaces.pipelineEmbedding;

async function configOf(ctx: Context, pipeline: Pipeline): Promise<EmbeddingConfig> {
  const shared = pipeline.embeddingModelConfigId
    ? await ctx.db.query.embeddingModelConfigs.findFirst({
        where: eq(embeddingModelConfigs.id, pipeline.embeddingModelConfigId),
      })
    : undefined;
  return shared
    ? openStoredConfig(ctx, shared)
    : openEmbedding(ctx, pipeline.embeddingConfig, embeddingPlace(pipeline.id));
}

/**
 * Returns the embedder of the pipeline's configuration, independent of its index. Throws Conflict if it
 * cannot run.
 */
export async function ownEmbedderOf(ctx: Context, pipeline: Pipeline): Promise<Embedder> {
  return ctx.models.embedding(await configOf(ctx, pipeline));
}

/** Returns the embedding configuration that is stored with an index. */
export async function sealForIndex(ctx: Context, pipeline: Pipeline, indexId: string) {
  const own = await configOf(ctx, pipeline);
  const sealed = await sealEmbeddingAgain(ctx, own, sealedPlaces.indexEmbedding(indexId));
  const standsFor = ctx.models.standsFor(own.type);
  return { ...sealed, ...(standsFor && { standsFor }) };
}

/**
 * Returns the embedder for queries of an index. While a new index is built, the pipeline's configuration is
 * newer than the live index. As long as both give the same vectors, the pipeline's is used, because its API
 * key is newer.
 */
export async function embedderOf(ctx: Context, pipeline: Pipeline, index: PipelineIndex): Promise<Embedder> {
  const { embeddingConfig } = index;
  // Reads the current configuration, because it may have changed since the pipeline was read.
  const own = await configOf(ctx, pipeline);
  const standsFor = embeddingConfig?.standsFor ?? BUILTIN;
  if (!embeddingConfig || (await embeddingHash(ctx, embeddingConfig)) === (await embeddingHash(ctx, own))) {
    return heldToIndex(ctx, index, ctx.models.embedding({ ...own, standsFor }));
  }
  const opened = await openEmbedding(ctx, embeddingConfig, sealedPlaces.indexEmbedding(index.id));
  return heldToIndex(ctx, index, ctx.models.embedding({ ...opened, standsFor }));
}

/**
 * Wraps an embedder so that its vectors fit one index. The first vector of a document sets the dimension of
 * the index. `embed` rejects with Conflict if the model returns another dimension, before a store or ranking
 * sees the vectors.
 */
export function heldToIndex(ctx: Context, index: PipelineIndex, embedder: Embedder): Embedder {
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
      // Only documents set the dimension, because the vector of a query is not stored.
      if (known === null && purpose === 'document') known = await decide(ctx, index, given);
      if (known !== null && known !== given) throw otherDimension(embedder, known, given);
      return vectors;
    },
  };
}

/** Sets the dimension of the index and returns it. If another writer was first, its value is returned. */
async function decide(ctx: Context, { id }: PipelineIndex, given: number): Promise<number> {
  const [row] = await ctx.db
    .update(pipelineIndexes)
    .set({ dimension: sql`coalesce(${pipelineIndexes.dimension}, ${given})` })
    .where(eq(pipelineIndexes.id, id))
    .returning({ dimension: pipelineIndexes.dimension });
  return row?.dimension ?? given;
}

function otherDimension({ modelId }: Embedder, known: number, given: number): Conflict {
  const what = `the index holds vectors of ${known} dimensions, and ${modelId} gives ${given}`;
  return new Conflict(
    `embedding_config: ${what}. A changed embedding_config is given a new index by a sync.`,
  );
}
