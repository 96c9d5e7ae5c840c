import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { adoptPipelineUploads } from '#src/services/files/pending-uploads.ts';
import { prepareTargetIndex } from '#src/services/indexes/lifecycle.ts';
import { markPlanned } from '#src/services/pipelines/member-statuses.ts';
import { checkStore, StoreCheckFailed } from '#src/services/sync/check-store.ts';
import { type Difference, iterateDifferences } from '#src/services/sync/difference.ts';
import { beginSources, removeFilesOfFormerSources } from '#src/services/sync/sources.ts';
import type { Message } from '#src/work/messages.ts';
import { documentItem, fileItem } from '#src/work/sync-items.ts';
import type { WorkItem } from '#src/work/sync-owner.ts';

/**
 * Plans a sync run. In the first phase it adds an item for each data source to read. In the second phase it
 * compares the pipeline with its index and adds an item for each difference, one page at a time.
 */
export async function syncPipeline(ctx: Context, message: Message<'sync-pipeline'>): Promise<void> {
  const { pipelineId, generation } = message;
  const owner = ctx.objects.pipelineSync(pipelineId);
  const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) });
  if (!pipeline || pipeline.status === 'DELETING') return;
  const assignment = await owner.assignment(generation);
  if (!assignment) return;
  try {
    const { phase, jobId } = assignment;
    if (phase === 'sources') {
      await owner.plan(generation, phase, await beginSources(ctx, pipelineId, assignment), true);
      return;
    }
    await removeFilesOfFormerSources(ctx, pipelineId);
    await adoptPipelineUploads(ctx, pipelineId);
    const index = await prepareTargetIndex(ctx, pipeline, generation);
    const isWhole = await checkStore(ctx, index, assignment);
    const differing = iterateDifferences(ctx, pipeline, index, isWhole ? assignment.fileIds : null);
    for await (const difference of differing) {
      await markPlanned(ctx, jobId, difference.members);
      if (!(await owner.plan(generation, phase, toWorkItems(difference), false))) return;
    }
    await owner.plan(generation, phase, [], true);
  } catch (error) {
    if (error instanceof StoreCheckFailed) {
      await owner.planReleased(generation, true);
      throw error.cause;
    }
    if (!(error instanceof DomainError) || error.retryable) {
      await owner.planReleased(generation);
      throw error;
    }
    await owner.planFailed(generation, { message: getErrorMessage(error), step: 'MANAGED_INGESTION' });
  }
}

function toWorkItems({ members, removedIds }: Difference): WorkItem[] {
  return [
    ...removedIds.map((documentId) => ({
      id: `removal:${documentId}`,
      kind: 'removal' as const,
      documentId,
    })),
    ...members.map(({ kind, documentId, bytes }) =>
      kind === 'file' ? fileItem(documentId, bytes) : documentItem(documentId, bytes),
    ),
  ];
}
