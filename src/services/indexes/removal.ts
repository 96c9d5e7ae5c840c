import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { indexedDocuments, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { eraseQuotes } from '#src/db/trace-quotes.ts';
import { openSink } from './open-sink.ts';

/** Number of document ids per statement. D1 allows 100 parameters. */
const IDS_PER_QUERY = 90;

/**
 * Deletes documents from the indexes and calls `forget` to delete their rows. When this returns, queries do
 * not find the documents any more. Indexes come first, so that a failed call can be repeated. A second
 * removal covers chunks that were indexed in the meantime.
 */
export async function deleteFromIndexes<Result>(
  ctx: Context,
  pipelineIds: string[],
  documentIds: string[],
  forget: () => Promise<Result>,
): Promise<Result> {
  for (const pipelineId of pipelineIds) await removeFromIndexes(ctx, pipelineId, documentIds);
  const result = await forget();
  for (const pipelineId of pipelineIds) {
    await removeFromIndexes(ctx, pipelineId, documentIds).catch(async (error: unknown) => {
      // The rows are already deleted, so the caller cannot repeat the call. A sync is started, because it
      // removes chunks without a document.
      await ctx.objects.pipelineSync(pipelineId).start(pipelineId, { reason: 'change' });
      throw error;
    });
  }
  return result;
}

/**
 * Removes documents from every index of the pipeline. When this returns, queries do not find them any more, and no trace
 * of an answer quotes them.
 */
export async function removeFromIndexes(
  ctx: Context,
  pipelineId: string,
  documentIds: string[],
): Promise<void> {
  const all = await ctx.db.query.pipelineIndexes.findMany({
    where: eq(pipelineIndexes.pipelineId, pipelineId),
  });
  for (const index of all) await removeFromIndex(ctx, index, documentIds);
  await eraseQuotes(ctx, pipelineId, documentIds);
}

/**
 * Removes a document's chunks from all indexes, if they were made from other content than `contentHash`. Such
 * chunks would quote text that the document does not contain any more. Chunks of the same content are kept,
 * even if the configuration changed.
 */
export async function removeOutdated(
  ctx: Context,
  pipelineId: string,
  documentId: string,
  contentHash: string,
): Promise<void> {
  const indexes = await ctx.db
    .select({ index: getTableColumns(pipelineIndexes) })
    .from(indexedDocuments)
    .innerJoin(pipelineIndexes, eq(pipelineIndexes.id, indexedDocuments.indexId))
    .where(
      and(
        eq(pipelineIndexes.pipelineId, pipelineId),
        eq(indexedDocuments.documentId, documentId),
        sql`substr(${indexedDocuments.contentFingerprint}, 1, ${contentHash.length + 1}) <> ${`${contentHash}:`}`,
      ),
    );
  for (const { index } of indexes) await removeFromIndex(ctx, index, [documentId]);
  if (indexes.length > 0) await eraseQuotes(ctx, pipelineId, [documentId]);
}

async function removeFromIndex(ctx: Context, index: PipelineIndex, documentIds: string[]): Promise<void> {
  const sink = await openSink(ctx, index);
  await sink.remove(documentIds, Date.now());
  for (let from = 0; from < documentIds.length; from += IDS_PER_QUERY) {
    await ctx.db
      .delete(indexedDocuments)
      .where(
        and(
          eq(indexedDocuments.indexId, index.id),
          inArray(indexedDocuments.documentId, documentIds.slice(from, from + IDS_PER_QUERY)),
        ),
      );
  }
}
