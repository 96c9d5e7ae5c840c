import { and, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { indexedDocuments, type PipelineIndex } from '#src/db/schema/index.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { SinkError, type StoreComparison } from '#src/ports/sink.ts';
import { usesNativeSearch } from '#src/sinks/native/native-search.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { openSink } from './open-sink.ts';

/**
 * Metadata fingerprint of a document whose vectors may be missing in the store. It differs from every real
 * fingerprint, so the document counts as changed until its vectors are restored.
 */
export const RESTORE_FINGERPRINT = 'to be restored';

/** Maximum number of documents that are marked per statement, because D1 aborts long statements. */
const ROWS_PER_UPDATE = 5_000;
/**
 * Share of the data sink's timeout after which the comparison fails with an error of its own. Single calls to
 * the store would fail only later.
 */
const TIMEOUT_SHARE = 0.9;

/** Thrown if a vector store does not answer whether it has the vectors of an index. */
export class StoreTimeout extends SinkError {
  constructor(cause: TimedOut) {
    const message = `The data sink did not answer: ${cause.message}. A later sync tries again.`;
    super(message, { retryable: true, cause });
  }
}

/**
 * Compares an index with its vector store in one call. Returns `undefined` for the managed index, unless it
 * has a copy in Vectorize. Throws SinkError if the store rejects the call, and StoreTimeout if it does not
 * answer within `seconds`.
 */
export async function compareIndex(
  ctx: Context,
  index: PipelineIndex,
  seconds = TIMEOUT_SHARE * ctx.settings.SILENCE_SECONDS,
): Promise<StoreComparison | undefined> {
  if (!index.sink && !ctx.objects.hasVectorCopies) return undefined;
  const compare = async () => (await openSink(ctx, index)).compare();
  try {
    return await withTimeout(compare(), seconds);
  } catch (error) {
    // Queries work without the copy in Vectorize, so a failed comparison does not prevent the sync.
    if (!index.sink) {
      ctx.log.warn('comparing the copy in Vectorize failed', {
        index: index.id,
        error: getErrorMessage(error),
      });
      return undefined;
    }
    throw error instanceof TimedOut ? new StoreTimeout(error) : error;
  }
}

/**
 * Describes how many vectors a store has lost and how to restore them. Returns `undefined` if none are
 * missing.
 */
export function describeLoss({ expected, missing }: StoreComparison): string | undefined {
  if (missing === 0) return undefined;
  return `The data sink lacks ${missing} of ${expected} checked vectors. Start a sync to write them again.`;
}

/**
 * Marks every document of the index as changed, so that the current run checks and restores its vectors. If the
 * store also kept the texts, the documents are indexed again from their files.
 */
export async function markForRestoring(ctx: Context, index: PipelineIndex): Promise<void> {
  const ofIndex = eq(indexedDocuments.indexId, index.id);
  const isNative = index.sink !== null && usesNativeSearch(index.sink.component);
  for (;;) {
    const some = ctx.db
      .select({ id: indexedDocuments.documentId })
      .from(indexedDocuments)
      .where(
        and(
          ofIndex,
          sql`${indexedDocuments.chunkCount} > 0`,
          sql`${indexedDocuments.metadataFingerprint} <> ${RESTORE_FINGERPRINT}`,
        ),
      )
      .limit(ROWS_PER_UPDATE);
    const { meta } = await ctx.db
      .update(indexedDocuments)
      .set({
        metadataFingerprint: RESTORE_FINGERPRINT,
        ...(isNative && { contentFingerprint: '' }),
      })
      .where(and(ofIndex, sql`${indexedDocuments.documentId} in ${some}`));
    if (meta.changes === 0) return;
  }
}
