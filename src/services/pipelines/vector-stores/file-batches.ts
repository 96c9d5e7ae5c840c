import { and, eq, inArray, isNull, lt } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import type { IdPage, IdPageQuery } from '#src/db/paging-by-id.ts';
import { whereFiles } from '#src/db/pipeline-members.ts';
import { type FileBatch, fileBatches, type IngestionStatus, pipelineMembers } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { removeMembers } from '../documents/remove-members.ts';
import { countByStatus } from '../member-statuses.ts';
import type { NewPipelineFile, PipelineFile } from '../pipeline-files.ts';
import { addStoreFiles, listStoreFiles } from './store-files.ts';
import { getStorePipeline } from './stores.ts';

/** Days after which a batch is deleted. Its files stay in the vector store. */
const BATCH_DAYS = 30;

const UNFINISHED: IngestionStatus[] = ['NOT_STARTED', 'IN_PROGRESS'];

/** Files that were added to a vector store together. */
export interface StoreBatch {
  batch: FileBatch;
  /** Number of files of the batch by status. Files that a cancellation removed count as cancelled. */
  counts: Partial<Record<IngestionStatus, number>>;
}

/** Adds files to a vector store and stores which files these are, so that their progress can be followed. */
export async function createFileBatch(
  ctx: TenantContext,
  storeId: string,
  input: NewPipelineFile[],
): Promise<StoreBatch> {
  const added = await addStoreFiles(ctx, storeId, input);
  const pipelineId = (await getStorePipeline(ctx, storeId)).id;
  const fileIds = added.map(({ file }) => file.id);
  const isOld = lt(fileBatches.createdAt, new Date(Date.now() - BATCH_DAYS * DAY_MS));
  const [, [batch]] = await ctx.db.batch([
    ctx.db.delete(fileBatches).where(and(eq(fileBatches.pipelineId, pipelineId), isOld)),
    ctx.db.insert(fileBatches).values({ id: newId(), pipelineId, fileIds }).returning(),
  ]);
  return countBatch(ctx, batch!);
}

export async function getFileBatch(ctx: TenantContext, storeId: string, id: string): Promise<StoreBatch> {
  return countBatch(ctx, await findBatch(ctx, storeId, id));
}

/** Returns a page of the files of a batch that the vector store still contains. */
export async function listBatchFiles(
  ctx: TenantContext,
  storeId: string,
  id: string,
  query: IdPageQuery & { statuses?: readonly IngestionStatus[] | undefined },
): Promise<IdPage<PipelineFile>> {
  const { fileIds } = await findBatch(ctx, storeId, id);
  return listStoreFiles(ctx, storeId, query, isInList(pipelineMembers.documentId, fileIds));
}

/**
 * Cancels a batch. Files that are not indexed yet are removed from the vector store, because a sync would index them
 * otherwise. A batch whose files are all indexed stays as it is.
 */
export async function cancelFileBatch(ctx: TenantContext, storeId: string, id: string): Promise<StoreBatch> {
  const batch = await findBatch(ctx, storeId, id);
  const isUnfinished = and(whereBatch(batch), inArray(pipelineMembers.status, UNFINISHED));
  const waiting = await ctx.db
    .select({ id: pipelineMembers.documentId })
    .from(pipelineMembers)
    .where(isUnfinished);
  if (waiting.length === 0) return countBatch(ctx, batch);
  const ids = waiting.map((member) => member.id);
  await ctx.db
    .update(fileBatches)
    .set({ cancelledAt: new Date() })
    .where(and(eq(fileBatches.id, batch.id), isNull(fileBatches.cancelledAt)));
  await removeMembers(
    ctx,
    batch.pipelineId,
    ids,
    and(whereFiles(batch.pipelineId), isInList(pipelineMembers.documentId, ids)),
  );
  return getFileBatch(ctx, storeId, id);
}

async function findBatch(ctx: TenantContext, storeId: string, id: string): Promise<FileBatch> {
  const pipeline = await getStorePipeline(ctx, storeId);
  const batch = await ctx.db.query.fileBatches.findFirst({
    where: and(eq(fileBatches.id, id), eq(fileBatches.pipelineId, pipeline.id)),
  });
  if (!batch) throw new NotFound('File batch', id);
  return batch;
}

const whereBatch = ({ pipelineId, fileIds }: FileBatch) =>
  and(whereFiles(pipelineId), isInList(pipelineMembers.documentId, fileIds));

async function countBatch(ctx: TenantContext, batch: FileBatch): Promise<StoreBatch> {
  const counts = await countByStatus(ctx, whereBatch(batch));
  if (!batch.cancelledAt) return { batch, counts };
  const present = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const removed = batch.fileIds.length - present;
  return { batch, counts: { ...counts, CANCELLED: (counts.CANCELLED ?? 0) + removed } };
}
