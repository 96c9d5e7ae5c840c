import { eq } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { type PipelineIndex, pipelines } from '#src/db/schema/index.ts';
import { DomainError, messageOf } from '#src/errors.ts';
import { adoptPresignedUploadsOf } from '#src/services/files/pending-uploads.ts';
import {
  compareIndex,
  describeLoss,
  markForRestoring,
  StoreSilent,
} from '#src/services/indexes/compare-store.ts';
import { targetIndex } from '#src/services/indexes/lifecycle.ts';
import { markPlanned } from '#src/services/pipelines/statuses.ts';
import { type Difference, differences } from '#src/services/sync/difference.ts';
import { removeFilesOfFormerSources, sourceItems } from '#src/services/sync/sources.ts';
import { SinkError } from '#src/sinks/sink.ts';
import { MAX_ATTEMPTS } from '#src/work/backoff.ts';
import { documentItem, fileItem } from '#src/work/sync-items.ts';
import type { Assignment, WorkItem } from '#src/work/sync-owner.ts';
import type { Message } from './messages.ts';

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

/** The store could not say what it holds; a later attempt of the same run may hear it. */
class StoreUnchecked extends Error {}

/**
 * Compares the index with its store before anything else is planned. If points are missing, all documents are marked:
 * the run restores what it finds missing of each. Returns whether nothing is missing. A store that stays silent ends
 * the run at once, and one that fails otherwise ends it after some attempts: the run must not succeed unchecked.
 */
async function checkStore(ctx: Context, index: PipelineIndex, { starts }: Assignment): Promise<boolean> {
  try {
    const compared = await compareIndex(ctx, index);
    const loss = compared && describeLoss(compared);
    if (!loss) return true;
    ctx.log.warn('points are missing in the store', { index: index.id, ...compared });
    await markForRestoring(ctx, index);
    return false;
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    const isTriedAgain = error.retryable && !(error instanceof StoreSilent) && starts < MAX_ATTEMPTS;
    if (isTriedAgain) throw new StoreUnchecked(error.message, { cause: error });
    // Said as final to the plan: the message tells whether a later sync may succeed.
    throw new SinkError(error.message, { retryable: false, cause: error });
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
