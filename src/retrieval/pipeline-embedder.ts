import type { TenantContext } from '#src/context/context.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { embedderOf, ownEmbedderOf } from '#src/services/indexes/embedding.ts';
import { getTarget, sourceOf } from './retrieval.ts';

/** What a pipeline's queries are embedded with; before its first sync what its documents will be. */
export async function embedderOfPipeline(ctx: TenantContext, pipelineId: string): Promise<Embedder> {
  const target = await getTarget(ctx, pipelineId);
  const source = sourceOf(target);
  return target.index ? embedderOf(ctx, source, target.index) : ownEmbedderOf(ctx, source);
}
