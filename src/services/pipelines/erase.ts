import { eq } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { chatStreams, type PipelineIndex, pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { dropChatStreams, eraseIndexChats } from './erase-conversations.ts';

/**
 * Places to which running work may still write after a pipeline was deleted. They are emptied once more
 * later.
 */
export interface Leftovers {
  projectId: string;
  shards: { indexId: string; shard: number }[];
}

/** Marks a pipeline as being deleted. From then on it accepts no writes and answers no queries. */
export async function markDeleting(ctx: Context, pipelineId: string): Promise<void> {
  await ctx.db.update(pipelines).set({ status: 'DELETING' }).where(eq(pipelines.id, pipelineId));
}

/**
 * Deletes the index entries, texts and rows of a pipeline, but not its Durable Object. May be repeated after
 * an interruption. Returns `undefined` if nothing was left. With `force`, deletion continues even if a vector
 * store is unreachable.
 */
export async function erasePipeline(
  ctx: Context,
  pipelineId: string,
  force: boolean,
): Promise<Leftovers | undefined> {
  const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) });
  if (!pipeline) return undefined;
  const indexes = await ctx.db.query.pipelineIndexes.findMany({
    where: eq(pipelineIndexes.pipelineId, pipelineId),
  });
  const shards: Leftovers['shards'] = [];
  for (const index of indexes) {
    // The first shard is listed even if it is not recorded yet, because running work may be writing the first
    // document to it.
    for (let shard = 0; !index.sink && shard < index.shards; shard++) {
      shards.push({ indexId: index.id, shard });
    }
    await dropIndex(ctx, index, force);
  }
  await deletePrefix(ctx.bucket, keys.pipeline(pipeline.projectId, pipelineId));
  await dropChatStreams(ctx, eq(chatStreams.pipelineId, pipelineId));
  await eraseIndexChats(ctx, pipeline);
  await deleteInBatches(ctx.db, 'pipelines', pipelineId);
  await ctx.db.delete(pipelines).where(eq(pipelines.id, pipelineId));
  return { projectId: pipeline.projectId, shards };
}

/** Deletes data that running work wrote while the pipeline was being deleted. */
export async function eraseLeftovers(ctx: Context, pipelineId: string, leftovers: Leftovers): Promise<void> {
  for (const { indexId, shard } of leftovers.shards) await ctx.objects.searchShard(indexId, shard).drop();
  await deletePrefix(ctx.bucket, keys.pipeline(leftovers.projectId, pipelineId));
}

async function dropIndex(ctx: Context, index: PipelineIndex, force: boolean): Promise<void> {
  try {
    const sink = await openSink(ctx, index);
    await sink.drop();
  } catch (error) {
    if (!force) throw error;
    ctx.log.warn('the index could not be deleted and was left behind', {
      index: index.id,
      error: getErrorMessage(error),
    });
  }
}
