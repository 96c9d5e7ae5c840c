import { eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { insertWhen, rowWhen } from '#src/db/conditional-insert.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { derivedId, newId } from '#src/lib/ids.ts';
import { mayHaveJobs, whyNoJobs } from '#src/services/limits/jobs.ts';
import { refusePrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { savedWebhooks } from '#src/services/webhooks/configs.ts';
import { sealJobWebhooks } from '#src/services/webhooks/secrets.ts';
import { type WebhookConfiguration, webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { deliveryInserts } from './job-events.ts';
import { ID_PREFIX, type Job, jobTable } from './kinds.ts';
import { findJob } from './transitions.ts';
import { inputColumns } from './url-input.ts';

const MAX_ENDPOINTS = 20;

/** Returns the webhook endpoints of a job: those in the request and those that it names by id. */
export async function endpointsOf(
  ctx: TenantContext,
  request: {
    webhook_configurations?: WebhookConfiguration[] | null | undefined;
    webhook_configuration_ids?: string[] | null | undefined;
  },
  others: WebhookConfiguration[] = [],
): Promise<WebhookConfiguration[]> {
  const ids = new Set(request.webhook_configuration_ids ?? []);
  const { webhook_configurations } = request;
  refusePrivateAddresses(ctx, webhookConfigurations, webhook_configurations, [
    'body',
    'webhook_configurations',
  ]);
  const inline = [...(webhook_configurations ?? []), ...others];
  // Checked before any lookup, because each id costs a query.
  if (inline.length + ids.size > MAX_ENDPOINTS) {
    throw new BadRequest(`inputs_invalid: a job has at most ${MAX_ENDPOINTS} webhook configurations`);
  }
  const saved = await savedWebhooks(ctx, [...ids]);
  return [...(webhook_configurations ?? []), ...saved, ...others];
}

/**
 * Returns the id of a new job. Within a project an idempotency key always gives the same id, so that a
 * repeated request creates one job.
 */
export async function idForJob(ctx: TenantContext, kind: JobKind, key: string | null): Promise<string> {
  if (key === null) return newId(ID_PREFIX[kind]);
  return `${ID_PREFIX[kind]}-${await derivedId(`${kind} job`, ctx.projectId, key)}`;
}

/** Ids that are derived from a key are UUIDs of version 8. Random ids are never of that version. */
const isDerived = (id: string) => id.at(-22) === '8';

/**
 * Announces a job to the project's intake before its row is inserted, so that the job runs even if later
 * messages are lost. Nothing happens if the job is rejected afterwards.
 */
export function announceJob(ctx: TenantContext, kind: JobKind, id: string): Promise<void> {
  return ctx.objects.jobIntake(ctx.projectId).announce(kind, id);
}

type Columns = { fileInput: string } & Record<string, unknown>;

/**
 * Inserts an announced job. If a job with this id exists, it is returned unchanged. Rejects if the project's
 * limits do not allow a job.
 */
export async function recordJob<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  id: string,
  endpoints: WebhookConfiguration[],
  columns: Columns,
): Promise<Row> {
  const existing = isDerived(id) ? await findJob(ctx, kind, id) : undefined;
  if (existing) return existing as Row;
  const table = jobTable(kind);
  const { values, events } = await rowOf(ctx, kind, id, endpoints, columns);
  const insert = insertWhen(ctx, rowWhen(table, values, mayHaveJobs(ctx, ctx.projectId))).returning();
  const [inserted] = await ctx.db.batch([insert, ...events.map((each) => insertWhen(ctx, each))]);
  const [row] = inserted as Row[];
  if (row) return row;
  const [winner] = await ctx.db.select().from(table).where(eq(table.id, id));
  if (!winner) throw await whyNoJobs(ctx, ctx.projectId);
  return winner as Row;
}

/** Inserts several announced jobs with new ids, all or none. */
export async function recordJobs<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  jobs: readonly (Columns & { id: string })[],
  endpoints: WebhookConfiguration[],
): Promise<Row[]> {
  const table = jobTable(kind);
  const rows = await Promise.all(
    jobs.map(({ id, ...columns }) => rowOf(ctx, kind, id, endpoints, columns as Columns)),
  );
  const condition = mayHaveJobs(ctx, ctx.projectId);
  const [first, ...rest] = rows.flatMap(({ values, events }) => [
    insertWhen(ctx, rowWhen(table, values, condition)),
    ...events.map((each) => insertWhen(ctx, each)),
  ]);
  if (first) {
    const [inserted] = await ctx.db.batch([first, ...rest]);
    if (inserted.meta.changes === 0) throw await whyNoJobs(ctx, ctx.projectId);
  }
  return rows.map(({ values }) => values as unknown as Row);
}

async function rowOf(
  ctx: TenantContext,
  kind: JobKind,
  id: string,
  endpoints: WebhookConfiguration[],
  columns: Columns,
) {
  const now = new Date();
  const values = {
    ...columns,
    ...(await inputColumns(ctx, id, columns.fileInput)),
    id,
    projectId: ctx.projectId,
    userId: ctx.actor.userId,
    status: 'PENDING' as const,
    webhookConfigurations: await sealJobWebhooks(ctx, id, endpoints),
    attempt: 0,
    createdAt: now,
    updatedAt: now,
  } as unknown as ReturnType<typeof jobTable>['$inferInsert'];
  return { values, events: await deliveryInserts(ctx, kind, values as Job, { status: 'PENDING' }) };
}
