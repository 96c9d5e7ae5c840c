import type { Context } from '#src/context/context.ts';
import type { PipelineIndex } from '#src/db/schema/index.ts';
import { SinkError } from '#src/ports/sink.ts';
import {
  compareIndex,
  describeLoss,
  markForRestoring,
  StoreTimeout,
} from '#src/services/indexes/compare-store.ts';
import { MAX_ATTEMPTS } from '#src/work/backoff.ts';
import type { Assignment } from '#src/work/sync-owner.ts';

/** Thrown if the vector store could not be compared and a later attempt may succeed. */
export class StoreCheckFailed extends Error {}

/**
 * Compares the index with its vector store before a sync run is planned. If vectors are missing, marks all
 * documents, so that the run restores their vectors. Returns whether nothing is missing. If the store does
 * not answer, the run fails, because unchecked runs must not succeed.
 */
export async function checkStore(
  ctx: Context,
  index: PipelineIndex,
  { starts }: Pick<Assignment, 'starts'>,
): Promise<boolean> {
  try {
    const compared = await compareIndex(ctx, index);
    const loss = compared && describeLoss(compared);
    if (!loss) return true;
    ctx.log.warn('points are missing in the store', { index: index.id, ...compared });
    await markForRestoring(ctx, index);
    return false;
  } catch (error) {
    if (!(error instanceof SinkError)) throw error;
    const isTriedAgain = error.retryable && !(error instanceof StoreTimeout) && starts < MAX_ATTEMPTS;
    if (isTriedAgain) throw new StoreCheckFailed(error.message, { cause: error });
    // The error is permanent for this sync run. Its message says whether a later sync may succeed.
    throw new SinkError(error.message, { retryable: false, cause: error });
  }
}
