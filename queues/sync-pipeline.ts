import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { DomainError, messageOf } from '#src/lib/errors.ts';
import { adoptPresignedUploadsOf } from '#src/services/files/pending-uploads.ts';
import { targetIndex } from '#src/services/indexes/lifecycle.ts';
import { markPlanned } from '#src/services/pipelines/statuses.ts';
import { checkStore, StoreUnchecked } from '#src/services/sync/check-store.ts';
import { type Difference, differences } from '#src/services/sync/difference.ts';
import { removeFilesOfFormerSources, sourceItems } from '#src/services/sync/sources.ts';
import type { Message } from '#src/work/messages.ts';
import { documentItem, fileItem } from '#src/work/sync-items.ts';
import type { WorkItem } from '#src/work/sync-owner.ts';

/**
 * First has the data sources read, then compares the pipeline with its index and hands every difference to
 * the owner, a page at a time.
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
      await owner.plan(generation, phase, await sourceItems(ctx, pipelineId, assignment), true);
      return;
    }
    await removeFilesOfFormerSources(ctx, pipelineId);
    await adoptPresignedUploadsOf(ctx, pipelineId);
    const index = await targetIndex(ctx, pipeline, generation);
    const isWhole = await checkStore(ctx, index, assignment);
    const differing = differences(ctx, pipeline, index, isWhole ? assignment.fileIds : null);
    for await (const difference of differing) {
      await markPlanned(ctx, jobId, difference.members);
      if (!(await owner.plan(generation, phase, itemsOf(difference), false))) return;
    }
    await owner.plan(generation, phase, [], true);
  } catch (error) {
    if (error instanceof StoreUnchecked) {
      await owner.planReleased(generation, true);
      throw error.cause;
    }
    if (!(error instanceof DomainError) || error.retryable) {
      await owner.planReleased(generation);
      throw error;
    }
    await owner.planFailed(generation, { message: messageOf(error), step: 'MANAGED_INGESTION' });
  }
}

function itemsOf({ members, removedIds }: Difference): WorkItem[] {
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
