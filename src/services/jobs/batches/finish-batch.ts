import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { type Batch, batches, webhookDeliveries } from '#src/db/schema/index.ts';
import { derivedId } from '#src/lib/ids.ts';
import { hasPendingDeliveries } from '#src/services/webhooks/deliveries.ts';
import { openJobWebhooks, sealDelivery } from '#src/services/webhooks/secrets.ts';
import { getBatchEvent, isSubscribed } from '#src/webhook-protocol/events.ts';
import { buildWebhookBody } from '#src/webhook-protocol/payload.ts';
import { TABLE_NAME } from '../kinds.ts';
import { type CountedBatch, countBatches } from './batches.ts';
import { ITEM_STATUSES } from './item-query.ts';

/**
 * Records that all jobs of a batch have ended, and stores the webhook deliveries that report the end. Both
 * happen in one transaction, so that each run of the batch is reported once. Returns false while a job is left.
 * The call can be repeated after a crash.
 */
export async function finishBatch(ctx: Context, batch: Batch): Promise<boolean> {
  const [counted] = batch.finishedAt ? [] : await countBatches(ctx, [batch]);
  if (counted && (counted.status === 'PENDING' || counted.status === 'RUNNING')) return false;
  if (counted && !(await recordEnd(ctx, counted))) return false;
  if (batch.webhookConfigurations && (await hasPendingDeliveries(ctx, batch.id))) {
    await ctx.objects.jobState(batch.id).notify(batch.id);
  }
  return true;
}

/** Returns false if a retry has started the batch again in the meantime. */
async function recordEnd(ctx: Context, counted: CountedBatch): Promise<boolean> {
  const { batch } = counted;
  const finishedAt = new Date();
  const isLeft = sql`exists (select 1 from batch_items item
    left join ${sql.raw(TABLE_NAME[batch.jobType])} job on job.id = item.job_id
    where item.batch_id = ${batch.id} and (job.status in ('PENDING', 'RUNNING')
      or (item.state = 'waiting' and ${batches.cancelledAt} is null)))`;
  const update = ctx.db
    .update(batches)
    .set({ finishedAt })
    .where(
      and(
        eq(batches.id, batch.id),
        isNull(batches.finishedAt),
        isNull(batches.deletedAt),
        sql`not ${isLeft}`,
      ),
    )
    .returning({ id: batches.id });
  const rows = await buildDeliveries(ctx, counted, finishedAt);
  const [updated] = await ctx.db.batch([update, ...rows.map((row) => buildConditionalInsert(ctx, row))]);
  return updated.length > 0;
}

async function buildDeliveries(ctx: Context, counted: CountedBatch, at: Date) {
  const { batch } = counted;
  const event = getBatchEvent(counted.status);
  if (!event) return [];
  const endpoints = await openJobWebhooks(ctx, batch.id, batch.webhookConfigurations);
  const isRecorded = sql`exists (select 1 from batches where id = ${batch.id} and finished_at = ${at.getTime()})`;
  // A retried batch ends again, at another time, and is then reported again.
  const run = at.getTime();
  const eventId = await derivedId('webhook event', batch.id, event, run);
  const subscribed = [...endpoints.entries()].filter(([, endpoint]) => isSubscribed(endpoint, event));
  return Promise.all(
    subscribed.map(async ([index, endpoint]) => {
      const id = await derivedId('webhook delivery', batch.id, event, run, index);
      const facts = { eventId, event, at, data: buildEventData(counted) };
      const row = {
        ...{ id, eventId, eventType: event, projectId: batch.projectId, jobId: batch.id },
        endpoint: String(index),
        sequence: 1,
        configuration: await sealDelivery(ctx, id, endpoint),
        body: buildWebhookBody(facts, endpoint.webhook_output_format),
        status: 'pending' as const,
        attempts: 0,
        createdAt: at,
        updatedAt: at,
      };
      return createConditionalRow(webhookDeliveries, row, isRecorded);
    }),
  );
}

function buildEventData({ batch, counts, status }: CountedBatch): Record<string, unknown> {
  const jobs = ITEM_STATUSES.map((each) => [each, counts.status[each] ?? 0]);
  return {
    id: batch.id,
    job_id: batch.id,
    job_type: 'batch',
    batch_job_type: batch.jobType,
    name: batch.name,
    status,
    project_id: batch.projectId,
    file_count: batch.fileCount,
    status_counts: Object.fromEntries(jobs),
  };
}
