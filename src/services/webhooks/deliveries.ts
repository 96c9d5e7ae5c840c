import { and, desc, eq } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isJobOfNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type WebhookDelivery, webhookDeliveries } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { buildWebhookBody } from '#src/webhook-protocol/payload.ts';
import { getWebhookConfig } from './configs.ts';
import { openConfig, sealDelivery } from './secrets.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;

export interface DeliveryFilter {
  status?: (typeof DELIVERY_STATUSES)[number] | null | undefined;
  job_id?: string | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

export async function getDeliveryPage(
  ctx: TenantContext,
  query: DeliveryFilter,
): Promise<Page<WebhookDelivery>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await ctx.db.query.webhookDeliveries.findMany({
    where: and(
      eq(webhookDeliveries.projectId, ctx.projectId),
      query.status ? eq(webhookDeliveries.status, query.status) : undefined,
      query.job_id ? eq(webhookDeliveries.jobId, query.job_id) : undefined,
      isJobOfNoDeletedBatch(webhookDeliveries.jobId),
      afterKey([webhookDeliveries.createdAt, webhookDeliveries.id], key, 'desc'),
    ),
    orderBy: [desc(webhookDeliveries.createdAt), desc(webhookDeliveries.id)],
    limit: pageSize + 1,
  });
  return buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]);
}

export async function getDelivery(ctx: TenantContext, id: string): Promise<WebhookDelivery> {
  const row = await ctx.db.query.webhookDeliveries.findFirst({
    where: and(
      eq(webhookDeliveries.id, id),
      withinScope(ctx, webhookDeliveries.projectId),
      isJobOfNoDeletedBatch(webhookDeliveries.jobId),
    ),
  });
  if (!row) throw new NotFound('Webhook delivery', id);
  return row;
}

export async function hasPendingDeliveries(ctx: Context, jobId: string): Promise<boolean> {
  const { jobId: ofJob, status } = webhookDeliveries;
  const pending = and(eq(ofJob, jobId), eq(status, 'pending'));
  return (
    (await ctx.db.query.webhookDeliveries.findFirst({ columns: { id: true }, where: pending })) !== undefined
  );
}

/**
 * Sends a webhook event again, with the same event id and body. The count of attempts starts again at zero.
 */
export async function replayDelivery(ctx: TenantContext, id: string): Promise<WebhookDelivery> {
  const delivery = await getDelivery(ctx, id);
  if (delivery.status === 'pending') throw new Conflict(`Delivery ${id} is still pending.`);
  const [row] = await ctx.db
    .update(webhookDeliveries)
    .set({ status: 'pending', attempts: 0, nextAttemptAt: null })
    .where(eq(webhookDeliveries.id, id))
    .returning();
  if (!row) throw new NotFound('Webhook delivery', id);
  await ctx.objects.jobState(row.jobId).notify(row.jobId);
  return row;
}

/** Event of a delivery that a user requested, to see whether the endpoint works. Endpoints cannot subscribe to it. */
const TEST_EVENT = 'webhook.test';

/** Sends a test event to a saved endpoint, regardless of the events to which it subscribes. */
export async function sendTestEvent(ctx: TenantContext, configId: string): Promise<WebhookDelivery> {
  const config = await getWebhookConfig(ctx, configId);
  const configuration = await openConfig(ctx, config.id, config.configuration);
  const [id, eventId, at] = [newId(), newId(), new Date()];
  // The test gets a job id of its own, so that it neither waits for a job's deliveries nor delays them.
  const jobId = `test-${id}`;
  const data = { id: jobId, job_id: jobId, test: true, project_id: ctx.projectId };
  const [row] = await ctx.db
    .insert(webhookDeliveries)
    .values({
      id,
      projectId: ctx.projectId,
      jobId,
      eventId,
      endpoint: config.id,
      sequence: 1,
      eventType: TEST_EVENT,
      configuration: await sealDelivery(ctx, id, configuration),
      body: buildWebhookBody(
        { eventId, event: TEST_EVENT, at, data, result: { message: 'This is a test.' } },
        configuration.webhook_output_format,
      ),
      createdAt: at,
      updatedAt: at,
    })
    .returning();
  await ctx.objects.jobState(jobId).notify(jobId);
  return row!;
}
