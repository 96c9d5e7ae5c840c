import type { Context } from '#src/context.ts';
import { messageOf, Upstream } from '#src/errors.ts';
import { stepOf } from '#src/services/sync/item-result.ts';
import { performItem } from '#src/services/sync/perform-item.ts';
import { ClaimLost, holdLease } from '#src/work/hold.ts';
import type { Message } from './messages.ts';

/** Does one item of a run: claims it, works while the owner wants it, and reports how it ended. */
export async function ingestFile(ctx: Context, message: Message<'ingest-file'>): Promise<void> {
  const { pipelineId, generation, itemId } = message;
  const owner = ctx.objects.pipelineSync(pipelineId);
  const consumer = crypto.randomUUID();
  const claim = await owner.claim(generation, itemId, consumer);
  if (!claim.go) return;
  const hold = holdLease(consumer, (_step, progress) =>
    owner.heartbeat(generation, itemId, consumer, progress),
  );
  try {
    const result = await performItem(ctx, pipelineId, claim, () => hold.checkpoint());
    if ('parts' in result) await owner.split(generation, itemId, consumer, result.parts);
    else await owner.finish(generation, itemId, consumer, result);
  } catch (error) {
    if (error instanceof ClaimLost) return;
    ctx.log.warn('item failed', { pipelineId, itemId, attempt: claim.attempt, error: messageOf(error) });
    await owner.release(generation, itemId, consumer, {
      message: messageOf(error),
      step: stepOf(error),
      retryAfterSeconds: error instanceof Upstream ? error.retryAfter : undefined,
    });
  } finally {
    hold.end();
  }
}
