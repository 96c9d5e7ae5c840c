import type { Context } from '#src/context.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import type { Message } from './messages.ts';

/** Takes the job's turn and makes the deliveries that are due; the owner sends the next turn. */
export async function deliverWebhook(ctx: Context, { jobId }: Message<'deliver-webhook'>): Promise<void> {
  const owner = ctx.objects.jobState(jobId);
  const consumer = crypto.randomUUID();
  if (!(await owner.claimDeliveries(consumer))) return;
  // Should this end without a word, the owner waits the lease out and sends the turn again.
  const nextAt = await deliverDue(ctx, jobId, () => owner.claimDeliveries(consumer));
  await owner.releaseDeliveries(consumer, nextAt);
}
