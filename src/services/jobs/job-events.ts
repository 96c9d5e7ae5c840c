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
  /** Some pages could not be read. */
  partial?: boolean;
  result?: unknown;
}

/** The job's row has the status and, if they are given, these endpoints. */
export function hasStatus(kind: JobKind, jobId: string, status: string, endpoints?: unknown): SQL {
  const table = sql.identifier(TABLE_NAME[kind]);
  const withThem = endpoints
    ? sql` and webhook_configurations = ${sql.param(endpoints, jobTable(kind).webhookConfigurations)}`
    : sql``;
  return sql`exists (select 1 from ${table} where id = ${jobId} and status = ${status}${withThem})`;
}

/**
 * Rows that record what a status change has to be told to the job's endpoints, to be inserted behind the
 * statement that makes the change. Ids follow from job, event and endpoint: told twice is recorded once.
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
  // Of creates that race for one id only the winner's endpoints are told.
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
