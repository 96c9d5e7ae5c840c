import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ConditionalRow, createConditionalRow } from '#src/db/conditional-insert.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { derivedId } from '#src/lib/ids.ts';
import { openJobWebhooks, sealDelivery } from '#src/services/webhooks/secrets.ts';
import { getEventSequence, getWebhookEvent, isSubscribed } from '#src/webhook-protocol/events.ts';
import { buildWebhookBody } from '#src/webhook-protocol/payload.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { getJobTable, type Job, TABLE_NAME } from './kinds.ts';

export interface StatusChange {
  status: string;
  errorMessage?: string | null;
  /** True if some pages could not be read. */
  partial?: boolean;
  result?: unknown;
}

/**
 * Returns the SQL condition that the job has this status. With `endpoints`, the job must also have these
 * webhook endpoints.
 */
export function hasStatus(kind: JobKind, jobId: string, status: string, endpoints?: unknown): SQL {
  const table = sql.identifier(TABLE_NAME[kind]);
  const withThem = endpoints
    ? sql` and webhook_configurations = ${sql.param(endpoints, getJobTable(kind).webhookConfigurations)}`
    : sql``;
  return sql`exists (select 1 from ${table} where id = ${jobId} and status = ${status}${withThem})`;
}

/**
 * Returns the rows of the webhook deliveries for a status change, to be inserted after the statement that
 * changes the status. Their ids are derived from job, event and endpoint, so that a repeated change does not
 * deliver twice.
 */
export async function buildDeliveryRows(
  ctx: Context,
  kind: JobKind,
  job: Job,
  change: StatusChange,
): Promise<ConditionalRow[]> {
  const event = getWebhookEvent(kind, change.status, change.partial);
  if (!event || !job.webhookConfigurations) return [];
  const endpoints = await openJobWebhooks(ctx, job.id, job.webhookConfigurations);
  // If concurrent requests create the same job, only the endpoints of the first one are notified.
  const ours = change.status === 'PENDING' ? job.webhookConfigurations : undefined;
  const condition = hasStatus(kind, job.id, change.status, ours);
  const at = new Date();
  const eventId = await derivedId('webhook event', job.id, event);
  const inserts = endpoints.map(async (configuration, index) => {
    if (!isSubscribed(configuration, event)) return undefined;
    const id = await derivedId('webhook delivery', job.id, event, index);
    const data = buildEventData(kind, job, change);
    const body = buildWebhookBody(
      { eventId, event, at, data, ...(change.result !== undefined && { result: change.result }) },
      configuration.webhook_output_format,
    );
    const row = {
      id,
      projectId: job.projectId,
      jobId: job.id,
      eventId,
      endpoint: String(index),
      sequence: getEventSequence(change.status),
      eventType: event,
      configuration: await sealDelivery(ctx, id, configuration),
      body,
      status: 'pending' as const,
      attempts: 0,
      createdAt: at,
      updatedAt: at,
    };
    return createConditionalRow(webhookDeliveries, row, condition);
  });
  return (await Promise.all(inserts)).filter((insert) => insert !== undefined);
}

function buildEventData(kind: JobKind, job: Job, change: StatusChange): Record<string, unknown> {
  return {
    id: job.id,
    job_id: job.id,
    job_type: kind,
    status: change.status,
    project_id: job.projectId,
    file_input: job.fileInput,
    ...(change.errorMessage && { error_message: change.errorMessage }),
  };
}
