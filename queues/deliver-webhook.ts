import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { holdLease } from '#src/work/hold.ts';
import { LEASE_MS } from '#src/work/lease.ts';
import type { Message } from '#src/work/messages.ts';

/** Takes the job's turn and makes the deliveries that are due; the owner sends the next turn. */
export async function deliverWebhook(ctx: Context, { jobId }: Message<'deliver-webhook'>): Promise<void> {
  const owner = ctx.objects.jobState(jobId);
  const consumer = crypto.randomUUID();
  if (!(await owner.claimDeliveries(consumer))) return;
  const hold = holdLease(consumer, () => owner.claimDeliveries(consumer));
  try {
    const nextAt = await deliverDue(ctx, jobId, (id) => owner.startDelivery(consumer, id));
    await owner.releaseDeliveries(consumer, nextAt);
  } catch (error) {
    // The turn has ended, if badly: the starts of its deliveries are not those of work that stops its process.
    ctx.log.warn('delivery turn failed', { jobId, error: messageOf(error) });
    await owner.releaseDeliveries(consumer, Date.now() + LEASE_MS);
  } finally {
    hold.end();
  }
}
