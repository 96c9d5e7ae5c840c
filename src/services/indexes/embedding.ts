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

/** The embedder of the pipeline's configuration, whatever its index was made with. Throws Conflict where none can be run. */
export async function ownEmbedderOf(ctx: Context, pipeline: Pipeline): Promise<Embedder> {
  return ctx.models.embedding(await configOf(ctx, pipeline));
}

/** What an index keeps of the configuration that its vectors are made with. */
export async function sealForIndex(ctx: Context, pipeline: Pipeline, indexId: string) {
  const own = await configOf(ctx, pipeline);
  const sealed = await sealEmbeddingAgain(ctx, own, sealedPlaces.indexEmbedding(indexId));
  const standsFor = ctx.models.standsFor(own.type);
  return { ...sealed, ...(standsFor && { standsFor }) };
}

/**
 * What a query of the index is embedded with. While a new index is being built the pipeline's configuration
 * is ahead of the live index; as long as both mean the same vectors the pipeline's is taken: its key is newer.
 */
export async function embedderOf(ctx: Context, pipeline: Pipeline, index: PipelineIndex): Promise<Embedder> {
  const { embeddingConfig } = index;
  // Of the configuration as it is now: it may have been changed since the pipeline was read.
  const own = await configOf(ctx, pipeline);
  const standsFor = embeddingConfig?.standsFor ?? BUILTIN;
  if (!embeddingConfig || (await embeddingHash(ctx, embeddingConfig)) === (await embeddingHash(ctx, own))) {
    return heldToIndex(ctx, index, ctx.models.embedding({ ...own, standsFor }));
  }
  const opened = await openEmbedding(ctx, embeddingConfig, sealedPlaces.indexEmbedding(index.id));
  return heldToIndex(ctx, index, ctx.models.embedding({ ...opened, standsFor }));
}

/**
 * The same embedder, whose vectors are those of one index: the first one that is made for it decides their dimension.
 * `embed` rejects with Conflict when the model gives others, before a store or a ranking sees them.
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
      // The vector of a query does not stay in the index.
      if (known === null && purpose === 'document') known = await decide(ctx, index, given);
      if (known !== null && known !== given) throw otherDimension(embedder, known, given);
      return vectors;
    },
  };
}

/** The dimension of the index from now on, whoever was first. */
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
