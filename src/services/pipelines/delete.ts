import type { TenantContext } from '#src/context/context.ts';
import { getPipeline } from './pipelines.ts';

/**
 * Takes a pipeline away. From the return on it answers no query and takes no write; its index entries,
 * documents and rows go in the background, whatever interrupts that. `force`: they are gone when this
 * returns, whether or not a sync runs or the vector store can be reached.
 *
 * Files stay in the project, and so do data sources, data sinks (also one that was created inline with the
 * pipeline) and embedding model configs: they have operations of their own, and others may use them.
 */
export async function deletePipeline(
  ctx: TenantContext,
  id: string,
  options: { force?: boolean } = {},
): Promise<void> {
  const pipeline = await getPipeline(ctx, id);
  await ctx.objects.pipelineSync(pipeline.id).erase(pipeline.id, options.force ?? false);
}
