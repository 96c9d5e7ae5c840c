import type { Context } from '#src/context/context.ts';
import type { Pipeline, PipelineIndex } from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { SparseEmbedder } from '#src/ports/embedder.ts';
import { usesNativeSearch } from '#src/sinks/native/native-search.ts';

type WithModels = Pick<Context, 'models'>;
type Configured = Pick<Pipeline, 'sparseModelConfig'>;

/**
 * Returns the name of the learned sparse model that a new index of the pipeline uses. Returns `undefined` if the index
 * is searched by words, because the pipeline or the operator has chosen no such model.
 */
export function resolveSparseModel(
  { models }: WithModels,
  { sparseModelConfig }: Configured,
): string | undefined {
  return sparseModelConfig?.model_type === 'splade' ? models.sparseEmbedding?.modelId : undefined;
}

/**
 * Returns the reason why an index in this data sink cannot use the sparse model of the pipeline. Returns `undefined` if
 * it can, or if the pipeline has no such model.
 */
export function findSparseModelRefusal(
  ctx: WithModels,
  pipeline: Configured,
  component: Record<string, unknown>,
): string | undefined {
  if (!usesNativeSearch(component) || !resolveSparseModel(ctx, pipeline)) return undefined;
  return 'splade is not available for a data sink with native_search, because the store searches by words itself. Choose bm25, or turn native_search off.';
}

/**
 * Returns the learned sparse model with which an index was built. Returns `undefined` if the index is searched by
 * words. If the installation no longer has the model, `embed` throws Conflict, so that dense search can still answer.
 */
export function createIndexSparseEmbedder(
  { models }: WithModels,
  { embeddingConfig }: Pick<PipelineIndex, 'embeddingConfig'>,
): SparseEmbedder | undefined {
  const modelId = embeddingConfig?.sparse;
  if (modelId === undefined) return undefined;
  if (models.sparseEmbedding?.modelId === modelId) return models.sparseEmbedding;
  return {
    modelId,
    async embed() {
      throw new Conflict(
        'The index was built with another sparse model than the one in SPARSE_EMBEDDINGS_URL. Start a sync to build a new index.',
      );
    },
  };
}
