import { and, eq, inArray } from 'drizzle-orm';
import type { WorkItem } from '../durable-objects/sync-owner.ts';
import type { Context } from '../src/context.ts';
import { pipelineDocuments, pipelineFiles, pipelines } from '../src/db/schema/index.ts';
import { DomainError, messageOf } from '../src/errors.ts';
import { takeInPendingOf } from '../src/services/files/pending-uploads.ts';
import { targetIndex } from '../src/services/indexes.ts';
import { requireDataSink } from '../src/services/pipelines/data-sink.ts';
import { type Difference, differences } from '../src/services/sync/difference.ts';
import { sourceItems } from '../src/services/sync/sources.ts';
import type { Message } from './messages.ts';

/** SQL takes 100 parameters a statement. */
const IDS_PER_STATEMENT = 90;

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
    if (assignment.sources.length > 0) {
      await owner.plan(generation, await sourceItems(ctx, pipelineId, assignment), true);
      return;
    }
    await requireDataSink(ctx, pipeline);
    await takeInPendingOf(ctx, pipelineId);
    const index = await targetIndex(ctx, pipeline, generation);
    for await (const difference of differences(ctx, pipeline, index, assignment.fileIds)) {
      await markPending(ctx, pipelineId, difference);
      if (!(await owner.plan(generation, itemsOf(difference), false))) return;
    }
    await owner.plan(generation, [], true);
  } catch (error) {
    if (!(error instanceof DomainError) || error.retryable) throw error;
    await owner.planFailed(generation, { message: messageOf(error), step: 'MANAGED_INGESTION' });
  }
}

function itemsOf({ fileIds, documentIds, removedIds }: Difference): WorkItem[] {
  return [
    ...removedIds.map((documentId) => ({
      id: `removal:${documentId}`,
      kind: 'removal' as const,
      documentId,
    })),
    ...fileIds.map((fileId) => ({ id: `file:${fileId}`, kind: 'file' as const, fileId })),
    ...documentIds.map((documentId) => ({
      id: `document:${documentId}`,
      kind: 'document' as const,
      documentId,
    })),
  ];
}

/** What is planned is in progress from now on, so that nobody reads an old SUCCESS as the new one. */
async function markPending(ctx: Context, pipelineId: string, difference: Difference): Promise<void> {
  const changes = { status: 'IN_PROGRESS' as const, statusUpdatedAt: new Date(), error: null };
  for (let from = 0; from < difference.fileIds.length; from += IDS_PER_STATEMENT) {
    const ids = difference.fileIds.slice(from, from + IDS_PER_STATEMENT);
    await ctx.db
      .update(pipelineFiles)
      .set(changes)
      .where(and(eq(pipelineFiles.pipelineId, pipelineId), inArray(pipelineFiles.fileId, ids)));
  }
  for (let from = 0; from < difference.documentIds.length; from += IDS_PER_STATEMENT) {
    const ids = difference.documentIds.slice(from, from + IDS_PER_STATEMENT);
    await ctx.db
      .update(pipelineDocuments)
      .set(changes)
      .where(and(eq(pipelineDocuments.pipelineId, pipelineId), inArray(pipelineDocuments.documentId, ids)));
  }
}
