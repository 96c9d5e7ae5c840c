import { and, asc, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type WebhookDelivery, webhookDeliveries } from '#src/db/schema/index.ts';
import { count } from '#src/metrics/meter.ts';
import { SecretError } from '#src/services/secrets/key-ring.ts';
import { type Attempt, deliver } from '#src/webhook-protocol/deliver.ts';
import { MAX_DELIVERY_ATTEMPTS, MAX_STARTS, neverEnded, secondsUntilRedelivery } from '#src/work/backoff.ts';
import { openDelivery } from './secrets.ts';

export type StartDelivery = (deliveryId: string) => Promise<number | undefined>;

/**
 * Makes the due deliveries of a job: for each endpoint in the order of events, and endpoints in parallel. A
 * failed delivery holds back the following ones of its endpoint until it succeeds or is given up. Returns the
 * time of the next attempt in milliseconds since 1970; null if none is left. `start` counts the start of a
 * delivery and returns the number of unfinished starts, or undefined if the claim was lost.
 */
export async function deliverDue(ctx: Context, jobId: string, start: StartDelivery): Promise<number | null> {
  const pending = await ctx.db.query.webhookDeliveries.findMany({
    where: and(eq(webhookDeliveries.jobId, jobId), eq(webhookDeliveries.status, 'pending')),
    orderBy: [asc(webhookDeliveries.sequence), asc(webhookDeliveries.createdAt)],
  });
  const endpoints = Map.groupBy(pending, (delivery) => delivery.endpoint);
  const next = await Promise.all([...endpoints.values()].map((queue) => deliverInOrder(ctx, queue, start)));
  const times = next.filter((time) => time !== null);
  return times.length > 0 ? Math.min(...times) : null;
}

async function deliverInOrder(
  ctx: Context,
  queue: WebhookDelivery[],
  start: StartDelivery,
): Promise<number | null> {
  for (const delivery of queue) {
    const dueAt = delivery.nextAttemptAt?.getTime() ?? 0;
    if (dueAt > Date.now()) return dueAt;
    const starts = await start(delivery.id);
    if (starts === undefined) return Date.now();
    const nextAt = await attempt(ctx, delivery, starts);
    if (nextAt !== null) return nextAt;
  }
  return null;
}

/**
 * Attempts one delivery. Returns null if it is finished, whether delivered or given up, otherwise the time of
 * the next attempt in milliseconds since 1970.
 */
async function attempt(ctx: Context, delivery: WebhookDelivery, starts: number): Promise<number | null> {
  const result: Attempt =
    starts > MAX_STARTS
      ? { outcome: 'refused', statusCode: null, error: neverEnded(MAX_STARTS) }
      : await send(ctx, delivery);
  const attempts = delivery.attempts + 1;
  const nextAt = nextAttemptOf(result, attempts);
  const isDead = result.outcome !== 'delivered' && nextAt === null;
  count('sluice_webhook_attempts_total', {
    outcome: result.outcome === 'delivered' ? 'delivered' : isDead ? 'dead' : 'failed',
  });
  await ctx.db
    .update(webhookDeliveries)
    .set({
      status: result.outcome === 'delivered' ? 'delivered' : isDead ? 'dead' : 'pending',
      attempts,
      lastStatusCode: result.statusCode,
      lastError: result.outcome === 'delivered' ? null : result.error,
      nextAttemptAt: nextAt === null ? null : new Date(nextAt),
    })
    .where(eq(webhookDeliveries.id, delivery.id));
  if (isDead) ctx.log.error('webhook delivery is dead', { deliveryId: delivery.id, jobId: delivery.jobId });
  return nextAt;
}

async function send(ctx: Context, delivery: WebhookDelivery): Promise<Attempt> {
  const { id, eventId, eventType, body } = delivery;
  try {
    const configuration = await openDelivery(ctx, id, delivery.configuration);
    return await deliver(ctx.settings, { configuration, eventId, eventType, body });
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    // Retried like an unreachable receiver, because an operator may restore the key, but no more often than
    // that.
    ctx.log.error('webhook secrets cannot be opened', { deliveryId: id, error: error.message });
    return {
      outcome: 'failed',
      statusCode: null,
      error: 'its secrets are sealed with a key that is not there',
    };
  }
}

function nextAttemptOf(result: Attempt, attempts: number): number | null {
  if (result.outcome !== 'failed' || attempts >= MAX_DELIVERY_ATTEMPTS) return null;
  return Math.ceil(Date.now() + 1000 * secondsUntilRedelivery(attempts, result.retryAfter));
}
