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

/** Where the events of a job go: what the request names itself and what it names by id. */
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
  // Before any is looked up: each id is a query.
  if (inline.length + ids.size > MAX_ENDPOINTS) {
    throw new BadRequest(`inputs_invalid: a job has at most ${MAX_ENDPOINTS} webhook configurations`);
  }
  const saved = await savedWebhooks(ctx, [...ids]);
  return [...(webhook_configurations ?? []), ...saved, ...others];
}

/** A new job's id. The same key in the same project gives the same id, so that a request sent twice makes one job. */
export async function idForJob(ctx: TenantContext, kind: JobKind, key: string | null): Promise<string> {
  if (key === null) return newId(ID_PREFIX[kind]);
  return `${ID_PREFIX[kind]}-${await derivedId(`${kind} job`, ctx.projectId, key)}`;
}

/** Ids that follow from a key are of UUID version 8; others are never taken. */
const isDerived = (id: string) => id.at(-22) === '8';

/**
 * Tells the project's intake that a job with this id is about to be recorded, so that it will be done whatever
 * gets lost after that. Nothing comes of it when the job is refused.
 */
export function announceJob(ctx: TenantContext, kind: JobKind, id: string): Promise<void> {
  return ctx.objects.jobIntake(ctx.projectId).announce(kind, id);
}

type Columns = { fileInput: string } & Record<string, unknown>;

/**
 * Records a job that has been announced. When the id is taken the job that has it is returned as it is. Rejects when the
 * project may have none, at all or today.
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

/** Records several announced jobs with new ids, all of them or none. */
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
