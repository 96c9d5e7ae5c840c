import type { Context } from '#src/context/context.ts';
import type { PipelineIndex } from '#src/db/schema/index.ts';
import { SinkError } from '#src/ports/sink.ts';
import {
  compareIndex,
  describeLoss,
  markForRestoring,
  StoreSilent,
} from '#src/services/indexes/compare-store.ts';
import { MAX_ATTEMPTS } from '#src/work/backoff.ts';
import type { Assignment } from '#src/work/sync-owner.ts';

/** Thrown if the store could not report what it holds. A later attempt may succeed. */
export class StoreUnchecked extends Error {}

/**
 * Compares the index with its store before anything is planned. If points are missing, all documents are
 * marked, and the run restores them. Returns whether nothing is missing. A store that does not answer ends
 * the run at once; other failures end it after some attempts, because an unchecked run must not succeed.
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
    const isTriedAgain = error.retryable && !(error instanceof StoreSilent) && starts < MAX_ATTEMPTS;
    if (isTriedAgain) throw new StoreUnchecked(error.message, { cause: error });
    // Reported as permanent to the planner. The message says whether a later sync may succeed.
    throw new SinkError(error.message, { retryable: false, cause: error });
  }
}
