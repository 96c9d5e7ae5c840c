import { and, asc, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isJobOfNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { type WebhookDelivery, webhookDeliveries } from '#src/db/schema/index.ts';
import { count } from '#src/metrics/meter.ts';
import { SecretError } from '#src/services/secrets/key-ring.ts';
import { type Attempt, deliver } from '#src/webhook-protocol/deliver.ts';
import {
  describeUnfinishedStarts,
  MAX_DELIVERY_ATTEMPTS,
  MAX_STARTS,
  secondsUntilRedelivery,
} from '#src/work/backoff.ts';
import { openDelivery } from './secrets.ts';

export type StartDelivery = (deliveryId: string) => Promise<number | undefined>;

/**
 * Sends the due webhook deliveries of a job. Endpoints are served in parallel, and each receives its events
 * in order. A failed delivery delays later deliveries to its endpoint. Returns the time of the next attempt
 * in milliseconds since 1970, or null if none is left. `start` counts the start of a delivery, and returns
 * `undefined` if the claim was lost.
 */
export async function deliverDue(ctx: Context, jobId: string, start: StartDelivery): Promise<number | null> {
  const pending = await ctx.db.query.webhookDeliveries.findMany({
    where: and(
      eq(webhookDeliveries.jobId, jobId),
      eq(webhookDeliveries.status, 'pending'),
      isJobOfNoDeletedBatch(webhookDeliveries.jobId),
    ),
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
 * Attempts one webhook delivery. Returns the time of the next attempt in milliseconds since 1970. Returns
 * null if the delivery succeeded or failed permanently.
 */
async function attempt(ctx: Context, delivery: WebhookDelivery, starts: number): Promise<number | null> {
  const result: Attempt =
    starts > MAX_STARTS
      ? { outcome: 'refused', statusCode: null, error: describeUnfinishedStarts(MAX_STARTS) }
      : await send(ctx, delivery);
  const attempts = delivery.attempts + 1;
  const nextAt = getNextAttempt(result, attempts);
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
  if (isDead)
    ctx.log.error('webhook delivery failed permanently', { deliveryId: delivery.id, jobId: delivery.jobId });
  return nextAt;
}

async function send(ctx: Context, delivery: WebhookDelivery): Promise<Attempt> {
  const { id, eventId, eventType, body } = delivery;
  try {
    const configuration = await openDelivery(ctx, id, delivery.configuration);
    return await deliver(ctx.settings, { configuration, eventId, eventType, body });
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    // The delivery is retried like one to an unreachable endpoint, because an operator may restore the
    // missing encryption key.
    ctx.log.error('webhook secrets cannot be decrypted', { deliveryId: id, error: error.message });
    return {
      outcome: 'failed',
      statusCode: null,
      error: 'The secrets of the endpoint cannot be decrypted, because their encryption key is missing.',
    };
  }
}

function getNextAttempt(result: Attempt, attempts: number): number | null {
  if (result.outcome !== 'failed' || attempts >= MAX_DELIVERY_ATTEMPTS) return null;
  return Math.ceil(Date.now() + 1000 * secondsUntilRedelivery(attempts, result.retryAfter));
}
