import type { TenantContext } from '#src/context/context.ts';
import { getPipeline } from './pipelines.ts';

/**
 * Deletes a pipeline. Once this returns it answers no query and accepts no write; its index entries,
 * documents and rows are deleted in the background. With `force` they are gone when this returns, even during
 * a sync run or if the vector store cannot be reached. Files, data sources, data sinks and embedding
 * configurations stay, because other pipelines may use them.
 */
export async function deletePipeline(
  ctx: TenantContext,
  id: string,
  options: { force?: boolean } = {},
): Promise<void> {
  const pipeline = await getPipeline(ctx, id);
  await ctx.objects.pipelineSync(pipeline.id).erase(pipeline.id, options.force ?? false);
}
