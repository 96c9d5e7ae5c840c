import type { Context } from '#src/context.ts';
import { messageOf, Upstream } from '#src/errors.ts';
import { stepOf } from '#src/services/sync/item-result.ts';
import { performItem } from '#src/services/sync/perform-item.ts';
import { NotWanted } from '#src/services/sync/work.ts';
import type { SyncOwner } from '#src/work/sync-owner.ts';
import type { Message } from './messages.ts';

const HEARTBEAT_MS = 3_000;

/** Does one item of a run: claims it, works while the owner wants it, and reports how it ended. */
export async function ingestFile(ctx: Context, message: Message<'ingest-file'>): Promise<void> {
  const { pipelineId, generation, itemId } = message;
  const owner = ctx.objects.pipelineSync(pipelineId);
  const consumer = crypto.randomUUID();
  const claim = await owner.claim(generation, itemId, consumer);
  if (!claim.go) return;
  const hold = holdClaim(owner, generation, itemId, consumer);
  try {
    const result = await performItem(ctx, pipelineId, claim, hold.checkpoint);
    if ('parts' in result) await owner.split(generation, itemId, consumer, result.parts);
    else await owner.finish(generation, itemId, consumer, result);
  } catch (error) {
    if (error instanceof NotWanted) return;
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

/** Beats while the work goes on; `checkpoint` throws NotWanted once the owner has taken the item back. */
function holdClaim(owner: SyncOwner, generation: number, itemId: string, consumer: string) {
  let wanted = true;
  const beat = async (progress: boolean) => {
    wanted = await owner.heartbeat(generation, itemId, consumer, progress).catch(() => wanted);
  };
  const timer = setInterval(() => beat(false), HEARTBEAT_MS);
  let last = Date.now();
  return {
    async checkpoint() {
      // Long synchronous work starves the timer, so steps beat for themselves as well.
      if (Date.now() - last > HEARTBEAT_MS) {
        await beat(true);
        last = Date.now();
      }
      if (!wanted) throw new NotWanted();
    },
    end: () => clearInterval(timer),
  };
}
