import { and, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { indexedDocuments, type PipelineIndex } from '#src/db/schema/index.ts';
import { messageOf } from '#src/lib/errors.ts';
import { SinkError, type StoreComparison } from '#src/ports/sink.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { openSink } from './open-sink.ts';

/**
 * Replaces a document's metadata fingerprint while its points may be missing. It equals no real fingerprint,
 * so the document counts as changed until its points are restored.
 */
export const TO_BE_RESTORED = 'to be restored';

/** Documents marked per statement, because D1 aborts long statements. */
const MARKED_AT_ONCE = 5_000;
/**
 * Share of the sink's timeout after which the comparison fails with its own error, before any of its calls
 * does.
 */
const PATIENCE = 0.9;

/** Thrown if a store does not answer whether it holds the points of an index. */
export class StoreSilent extends SinkError {
  constructor(cause: TimedOut) {
    const message = `The data sink did not answer: ${cause.message}. A later sync tries again.`;
    super(message, { retryable: true, cause });
  }
}

/**
 * Compares an index with its store by one call. Returns `undefined` for an index that Sluice keeps itself and that has
 * no copy elsewhere. Throws SinkError if the store refuses, and StoreSilent if nothing comes within `seconds`.
 */
export async function compareIndex(
  ctx: Context,
  index: PipelineIndex,
  seconds = PATIENCE * ctx.settings.SILENCE_SECONDS,
): Promise<StoreComparison | undefined> {
  if (!index.sink && !ctx.objects.hasVectorCopies) return undefined;
  const compare = async () => (await openSink(ctx, index)).compare();
  try {
    return await withTimeout(compare(), seconds);
  } catch (error) {
    // Queries work without the copy in Vectorize, so an unreachable copy does not block a sync.
    if (!index.sink) {
      ctx.log.warn('copy in Vectorize not compared', { index: index.id, error: messageOf(error) });
      return undefined;
    }
    throw error instanceof TimedOut ? new StoreSilent(error) : error;
  }
}

/** Describes what a store has lost and how to repair it; `undefined` if nothing is missing. */
export function describeLoss({ expected, missing }: StoreComparison): string | undefined {
  if (missing === 0) return undefined;
  return `The data sink lacks ${missing} of ${expected} vectors that were looked for. A sync writes them again.`;
}

/** Marks every document of the index as changed, so that the current run checks and restores its points. */
export async function markForRestoring(ctx: Context, index: PipelineIndex): Promise<void> {
  const ofIndex = eq(indexedDocuments.indexId, index.id);
  for (;;) {
    const some = ctx.db
      .select({ id: indexedDocuments.documentId })
      .from(indexedDocuments)
      .where(
        and(
          ofIndex,
          sql`${indexedDocuments.chunkCount} > 0`,
          sql`${indexedDocuments.metadataFingerprint} <> ${TO_BE_RESTORED}`,
        ),
      )
      .limit(MARKED_AT_ONCE);
    const { meta } = await ctx.db
      .update(indexedDocuments)
      .set({ metadataFingerprint: TO_BE_RESTORED })
      .where(and(ofIndex, sql`${indexedDocuments.documentId} in ${some}`));
    if (meta.changes === 0) return;
  }
}
