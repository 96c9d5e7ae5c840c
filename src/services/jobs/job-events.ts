import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ConditionalRow, rowWhen } from '#src/db/conditional-insert.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { derivedId } from '#src/lib/ids.ts';
import { openJobWebhooks, sealDelivery } from '#src/services/webhooks/secrets.ts';
import { eventOf, isSubscribed, sequenceOf } from '#src/webhook-protocol/events.ts';
import { webhookBody } from '#src/webhook-protocol/payload.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { type Job, jobTable, TABLE_NAME } from './kinds.ts';

export interface StatusChange {
  status: string;
  errorMessage?: string | null;
  /** Whether some pages could not be read. */
  partial?: boolean;
  result?: unknown;
}

/** Condition that the job's row has this status and, if given, these endpoints. */
export function hasStatus(kind: JobKind, jobId: string, status: string, endpoints?: unknown): SQL {
  const table = sql.identifier(TABLE_NAME[kind]);
  const withThem = endpoints
    ? sql` and webhook_configurations = ${sql.param(endpoints, jobTable(kind).webhookConfigurations)}`
    : sql``;
  return sql`exists (select 1 from ${table} where id = ${jobId} and status = ${status}${withThem})`;
}

/**
 * Returns rows that record the webhook deliveries of a status change. They are inserted after the statement
 * that makes the change. Their ids are derived from job, event and endpoint, so that repeating it records
 * each delivery once.
 */
export async function deliveryInserts(
  ctx: Context,
  kind: JobKind,
  job: Job,
  change: StatusChange,
): Promise<ConditionalRow[]> {
  const event = eventOf(kind, change.status, change.partial);
  if (!event || !job.webhookConfigurations) return [];
  const endpoints = await openJobWebhooks(ctx, job.id, job.webhookConfigurations);
  // If concurrent requests create the same job, only the endpoints of the first one are notified.
  const ours = change.status === 'PENDING' ? job.webhookConfigurations : undefined;
  const isSo = hasStatus(kind, job.id, change.status, ours);
  const at = new Date();
  const eventId = await derivedId('webhook event', job.id, event);
  const inserts = endpoints.map(async (configuration, index) => {
    if (!isSubscribed(configuration, event)) return undefined;
    const id = await derivedId('webhook delivery', job.id, event, index);
    const data = dataOf(kind, job, change);
    const body = webhookBody(
      { eventId, event, at, data, ...(change.result !== undefined && { result: change.result }) },
      configuration.webhook_output_format,
    );
    const row = {
      id,
      projectId: job.projectId,
      jobId: job.id,
      eventId,
      endpoint: String(index),
      sequence: sequenceOf(change.status),
      eventType: event,
      configuration: await sealDelivery(ctx, id, configuration),
      body,
      status: 'pending' as const,
      attempts: 0,
      createdAt: at,
      updatedAt: at,
    };
    return rowWhen(webhookDeliveries, row, isSo);
  });
  return (await Promise.all(inserts)).filter((insert) => insert !== undefined);
}

function dataOf(kind: JobKind, job: Job, change: StatusChange): Record<string, unknown> {
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
