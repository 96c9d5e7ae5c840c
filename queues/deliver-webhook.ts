import type { Context } from '#src/context.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { holdLease } from '#src/work/hold.ts';
import type { Message } from './messages.ts';

/** Takes the job's turn and makes the deliveries that are due; the owner sends the next turn. */
export async function deliverWebhook(ctx: Context, { jobId }: Message<'deliver-webhook'>): Promise<void> {
  const owner = ctx.objects.jobState(jobId);
  const consumer = crypto.randomUUID();
  if (!(await owner.claimDeliveries(consumer))) return;
  const hold = holdLease(consumer, () => owner.claimDeliveries(consumer));
  try {
    // Should this end without a word, the owner waits the lease out and sends the turn again.
    const nextAt = await deliverDue(ctx, jobId, (id) => owner.startDelivery(consumer, id));
    await owner.releaseDeliveries(consumer, nextAt);
  } finally {
    hold.end();
  }
}
