import type { TenantContext } from '#src/context/context.ts';
import { getPipeline } from './pipelines.ts';

/**
 * Deletes a pipeline. When this returns, the pipeline answers no queries and accepts no writes. Its index
 * entries, documents and rows are deleted in the background. With `force`, they are deleted before this
 * returns, even during a sync run or if the vector store is unreachable. Files, data sources, data sinks and
 * embedding configurations are kept, because other pipelines may use them.
 */
export async function deletePipeline(
  ctx: TenantContext,
  id: string,
  options: { force?: boolean } = {},
): Promise<void> {
  const pipeline = await getPipeline(ctx, id);
  await ctx.objects.pipelineSync(pipeline.id).erase(pipeline.id, options.force ?? false);
}
