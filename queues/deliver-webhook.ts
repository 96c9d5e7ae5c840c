import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { holdLease } from '#src/work/held-lease.ts';
import { LEASE_MS } from '#src/work/lease.ts';
import type { Message } from '#src/work/messages.ts';

/**
 * Claims the job's webhook deliveries and performs those that are due. The job's owner then schedules the
 * next message.
 */
export async function deliverWebhook(ctx: Context, { jobId }: Message<'deliver-webhook'>): Promise<void> {
  const owner = ctx.objects.jobState(jobId);
  const consumer = crypto.randomUUID();
  if (!(await owner.claimDeliveries(consumer))) return;
  const hold = holdLease(consumer, () => owner.claimDeliveries(consumer));
  try {
    const nextAt = await deliverDue(ctx, jobId, (id) => owner.startDelivery(consumer, id));
    await owner.releaseDeliveries(consumer, nextAt);
  } catch (error) {
    // Releasing the claim resets the counters of started attempts. An error therefore does not count as a
    // crash of the process.
    ctx.log.warn('delivering webhooks failed', { jobId, error: getErrorMessage(error) });
    await owner.releaseDeliveries(consumer, Date.now() + LEASE_MS);
  } finally {
    hold.end();
  }
}
