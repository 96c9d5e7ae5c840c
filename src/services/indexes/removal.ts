import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { indexedDocuments, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { openSink } from './open-sink.ts';

/** Documents come in by SQL's 100 parameters a statement. */
const IDS_PER_QUERY = 90;

/**
 * Deletes documents for good: from the return on no query finds them. `forget` deletes their rows; they are out of
 * the indexes before, so that what fails can be asked for again, and once more after, with what was indexed in
 * between.
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
      // Nobody can ask for it again: the next run finds what is in the index and belongs to nothing.
      await ctx.objects.pipelineSync(pipelineId).start(pipelineId, { reason: 'change' });
      throw error;
    });
  }
  return result;
}

/** Takes documents out of every index of the pipeline. From the return on no query finds them. */
export async function removeFromIndexes(
  ctx: Context,
  pipelineId: string,
  documentIds: string[],
): Promise<void> {
  const all = await ctx.db.query.pipelineIndexes.findMany({
    where: eq(pipelineIndexes.pipelineId, pipelineId),
  });
  for (const index of all) await removeFromIndex(ctx, index, documentIds);
}

/**
 * Takes out chunks that were made of other bytes than these: they would quote a text that the document no
 * longer holds. Chunks of the same bytes stay, whatever the new configuration makes of them.
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
