import type { TenantContext } from '#src/context/context.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { createIndexEmbedder, createOwnEmbedder } from '#src/services/indexes/embedding.ts';
import { getTarget, requireSource } from './retrieval.ts';

/**
 * Returns the embedder for queries of a pipeline. Before the first sync this is the embedder that its
 * documents will use.
 */
export async function getPipelineEmbedder(ctx: TenantContext, pipelineId: string): Promise<Embedder> {
  const target = await getTarget(ctx, pipelineId);
  const source = requireSource(target);
  return target.index ? createIndexEmbedder(ctx, source, target.index) : createOwnEmbedder(ctx, source);
}
