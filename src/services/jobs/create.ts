import { eq } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { derivedId, newId } from '#src/lib/ids.ts';
import { canHaveJobs, createJobRejection } from '#src/services/limits/jobs.ts';
import { rejectPrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { getSavedWebhooks } from '#src/services/webhooks/configs.ts';
import { sealJobWebhooks } from '#src/services/webhooks/secrets.ts';
import { type WebhookConfiguration, webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { buildDeliveryRows } from './job-events.ts';
import { getJobTable, ID_PREFIX, type Job } from './kinds.ts';
import { findJob } from './transitions.ts';
import { buildInputColumns } from './url-input.ts';

const MAX_ENDPOINTS = 20;

/** Returns the webhook endpoints of a job: those in the request and those that the request names by id. */
export async function resolveEndpoints(
  ctx: TenantContext,
  request: {
    webhook_configurations?: WebhookConfiguration[] | null | undefined;
    webhook_configuration_ids?: string[] | null | undefined;
  },
  others: WebhookConfiguration[] = [],
): Promise<WebhookConfiguration[]> {
  const ids = new Set(request.webhook_configuration_ids ?? []);
  const { webhook_configurations } = request;
  rejectPrivateAddresses(ctx, webhookConfigurations, webhook_configurations, [
    'body',
    'webhook_configurations',
  ]);
  const inline = [...(webhook_configurations ?? []), ...others];
  // The number of endpoints is checked before any lookup, because each id costs a query.
  if (inline.length + ids.size > MAX_ENDPOINTS) {
    throw new BadRequest(`inputs_invalid: a job has at most ${MAX_ENDPOINTS} webhook configurations`);
  }
  const saved = await getSavedWebhooks(ctx, [...ids]);
  return [...(webhook_configurations ?? []), ...saved, ...others];
}

/**
 * Returns the id of a new job. An idempotency key always results in the same id within a project, so that a
 * repeated request creates only one job.
 */
export async function createJobId(ctx: TenantContext, kind: JobKind, key: string | null): Promise<string> {
  if (key === null) return newId(ID_PREFIX[kind]);
  return `${ID_PREFIX[kind]}-${await derivedId(`${kind} job`, ctx.projectId, key)}`;
}

/**
 * Returns whether an id was derived from an idempotency key. Derived ids are UUIDs of version 8, random ids
 * are not.
 */
const isDerived = (id: string) => id.at(-22) === '8';

/**
 * Announces a job to the Durable Object that starts the project's jobs. This happens before the job's row is
 * inserted, so that the job runs even if later messages are lost. If no row follows, the announcement
 * expires.
 */
export function announceJob(ctx: TenantContext, kind: JobKind, id: string): Promise<void> {
  return ctx.objects.jobIntake(ctx.projectId).announce(kind, id);
}

type Columns = { fileInput: string } & Record<string, unknown>;

/**
 * Inserts an announced job. If a job with this id exists, returns it unchanged. Throws if the project's
 * limits do not allow the job.
 */
export async function insertJob<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  id: string,
  endpoints: WebhookConfiguration[],
  columns: Columns,
): Promise<Row> {
  const existing = isDerived(id) ? await findJob(ctx, kind, id) : undefined;
  if (existing) return existing as Row;
  const table = getJobTable(kind);
  const { values, events } = await buildJobRow(ctx, kind, id, endpoints, columns);
  const insert = buildConditionalInsert(
    ctx,
    createConditionalRow(table, values, canHaveJobs(ctx, ctx.projectId)),
  ).returning();
  const [inserted] = await ctx.db.batch([insert, ...events.map((each) => buildConditionalInsert(ctx, each))]);
  const [row] = inserted as Row[];
  if (row) return row;
  const [winner] = await ctx.db.select().from(table).where(eq(table.id, id));
  if (!winner) throw await createJobRejection(ctx, ctx.projectId);
  return winner as Row;
}

/** Inserts several announced jobs with new ids in one batch, all or none. */
export async function insertJobs<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  jobs: readonly (Columns & { id: string })[],
  endpoints: WebhookConfiguration[],
): Promise<Row[]> {
  const table = getJobTable(kind);
  const rows = await Promise.all(
    jobs.map(({ id, ...columns }) => buildJobRow(ctx, kind, id, endpoints, columns as Columns)),
  );
  const condition = canHaveJobs(ctx, ctx.projectId);
  const [first, ...rest] = rows.flatMap(({ values, events }) => [
    buildConditionalInsert(ctx, createConditionalRow(table, values, condition)),
    ...events.map((each) => buildConditionalInsert(ctx, each)),
  ]);
  if (first) {
    const [inserted] = await ctx.db.batch([first, ...rest]);
    if (inserted.meta.changes === 0) throw await createJobRejection(ctx, ctx.projectId);
  }
  return rows.map(({ values }) => values as unknown as Row);
}

/** Services, and the project and user for which jobs are created. */
export type JobCreator = Context & { projectId: string; actor: { userId: string } };

/** Builds the row of a new job, and the webhook deliveries that report its creation. */
export async function buildJobRow(
  ctx: JobCreator,
  kind: JobKind,
  id: string,
  endpoints: WebhookConfiguration[],
  columns: Columns,
) {
  const now = new Date();
  const values = {
    ...columns,
    ...(await buildInputColumns(ctx, id, columns.fileInput)),
    id,
    projectId: ctx.projectId,
    userId: ctx.actor.userId,
    status: 'PENDING' as const,
    webhookConfigurations: await sealJobWebhooks(ctx, id, endpoints),
    attempt: 0,
    createdAt: now,
    updatedAt: now,
  } as unknown as ReturnType<typeof getJobTable>['$inferInsert'];
  return { values, events: await buildDeliveryRows(ctx, kind, values as Job, { status: 'PENDING' }) };
}
