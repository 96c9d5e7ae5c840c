import { and, count, desc, eq, gte, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { DEFAULT_PAGE_SIZE, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { type Job, jobIdOf, jobTable, LIMITS } from './kinds.ts';
import { isOpen } from './transitions.ts';
import { shownInput } from './url-input.ts';

const NAME = { extract: 'Extract job', classify: 'Classify job', parse: 'Parse job' } as const;

export interface JobFilter {
  status?: string | null | undefined;
  job_ids?: string[] | null | undefined;
  configuration_id?: string | null | undefined;
  file_input?: string | null | undefined;
  document_input_type?: 'file_id' | 'parse_job_id' | 'url' | null | undefined;
  created_at_on_or_after?: string | null | undefined;
  created_at_on_or_before?: string | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

export async function getJob<Row extends Job>(ctx: TenantContext, kind: JobKind, id: string): Promise<Row> {
  const table = jobTable(kind);
  const [row] = await ctx.db
    .select()
    .from(table)
    .where(and(eq(table.id, jobIdOf(kind, id)), withinScope(ctx, table.projectId)));
  // Clients of this API expect the message without the id.
  if (!row) throw new NotFound(NAME[kind]);
  return row as unknown as Row;
}

/** Lists jobs from newest to oldest. `total_size` counts the matching jobs on all pages. */
export async function pageOfJobs<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  filter: JobFilter,
): Promise<Page<Row> & { total_size: number }> {
  const table = jobTable(kind);
  const key = readPageToken(filter.page_token, ['number', 'string']);
  const pageSize = filter.page_size ?? DEFAULT_PAGE_SIZE;
  const where = conditions(ctx, kind, filter);
  const [rows, [total]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(table)
      .where(and(where, following([table.createdAt, table.id], key, 'desc')))
      .orderBy(desc(table.createdAt), desc(table.id))
      .limit(pageSize + 1),
    ctx.db.select({ count: count() }).from(table).where(where),
  ]);
  const page = pageOf(rows as unknown as Row[], pageSize, (row) => [row.createdAt.getTime(), row.id]);
  return { ...page, total_size: total!.count };
}

function conditions(ctx: TenantContext, kind: JobKind, filter: JobFilter): SQL | undefined {
  const table = jobTable(kind);
  const ids = filter.job_ids?.map((id) => jobIdOf(kind, id));
  return and(
    eq(table.projectId, ctx.projectId),
    ids && isOneOf(table.id, ids),
    // The status THROTTLED matches nothing, because Sluice never throttles a job.
    filter.status ? sql`${table.status} = ${filter.status}` : undefined,
    filter.configuration_id ? eq(table.configurationId, `cfg-${bareId(filter.configuration_id)}`) : undefined,
    filter.file_input ? isInput(table.fileInput, shownInput(filter.file_input)) : undefined,
    filter.document_input_type ? eq(table.documentInputType, filter.document_input_type) : undefined,
    filter.created_at_on_or_after ? gte(table.createdAt, new Date(filter.created_at_on_or_after)) : undefined,
    filter.created_at_on_or_before
      ? lte(table.createdAt, new Date(filter.created_at_on_or_before))
      : undefined,
  );
}

/**
 * Inputs are stored as they were given, with or without prefix and in upper or lower case, so all forms are
 * compared.
 */
function isInput(column: SQLiteColumn, input: string): SQL | undefined {
  if (!/^([a-z]{3}-)?[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(input)) return eq(column, input);
  const [given, bare] = [input.toLowerCase(), bareId(input)];
  const forms = given === bare ? [bare, `dfl-${bare}`, `pjb-${bare}`] : [given, bare];
  return inArray(sql`lower(${column})`, forms);
}

/** Cancels an unfinished job. Its worker stops within seconds. A call may be repeated. */
export async function cancelJob<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  id: string,
): Promise<Row> {
  const before = await getJob<Row>(ctx, kind, id);
  if (isOpen(before.status)) {
    await ctx.objects.jobState(before.id).cancel({ kind, jobId: before.id, ...LIMITS[kind] });
  }
  const job = isOpen(before.status) ? await getJob<Row>(ctx, kind, id) : before;
  if (job.status === 'COMPLETED' || job.status === 'FAILED') {
    throw new Conflict(`${NAME[kind]} ${job.id} has ended (status: ${job.status}) and cannot be cancelled.`);
  }
  return job;
}

/** Deletes the job, its result and its webhook log before it returns. Running work stops by itself. */
export async function deleteJob(ctx: TenantContext, kind: JobKind, id: string): Promise<void> {
  const job = await getJob(ctx, kind, id);
  const table = jobTable(kind);
  await ctx.objects.jobState(job.id).drop();
  const deliveries = ctx.db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(eq(webhookDeliveries.jobId, job.id));
  await ctx.db.batch([
    ctx.db.delete(table).where(eq(table.id, job.id)),
    ctx.db.delete(webhookDeliveries).where(inArray(webhookDeliveries.id, deliveries)),
  ]);
  await ctx.bucket.delete(keys.jobResult(job.projectId, job.id));
}
