import { and, count, desc, eq, gte, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { keys } from '#src/bucket/keys.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { webhookDeliveries } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { ATTEMPT_LIMITS, getJobTable, type Job, toJobId } from './kinds.ts';
import { isOpen } from './transitions.ts';
import { maskInput } from './url-input.ts';

const NAME = {
  extract: 'Extract job',
  classify: 'Classify job',
  split: 'Split job',
  sheets: 'Sheets job',
  parse: 'Parse job',
} as const satisfies Record<JobKind, string>;

export interface JobFilter {
  status?: string | null | undefined;
  statuses?: string[] | null | undefined;
  job_ids?: string[] | null | undefined;
  configuration_id?: string | null | undefined;
  file_input?: string | null | undefined;
  document_input_type?: 'file_id' | 'parse_job_id' | 'url' | null | undefined;
  created_at_on_or_after?: string | null | undefined;
  created_at_on_or_before?: string | null | undefined;
  /** Further lower bound of the creation time. */
  created_after?: Date | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

export async function getJob<Row extends Job>(ctx: TenantContext, kind: JobKind, id: string): Promise<Row> {
  const table = getJobTable(kind);
  const [row] = await ctx.db
    .select()
    .from(table)
    .where(
      and(
        eq(table.id, toJobId(kind, id)),
        withinScope(ctx, table.projectId),
        isInNoDeletedBatch(table.batchId),
      ),
    );
  // The error message does not contain the id, because clients compare the message.
  if (!row) throw new NotFound(NAME[kind]);
  return row as unknown as Row;
}

/** Returns a page of jobs, newest first. `total_size` is the number of matching jobs on all pages. */
export async function getJobPage<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  filter: JobFilter,
): Promise<Page<Row> & { total_size: number }> {
  const table = getJobTable(kind);
  const key = parsePageToken(filter.page_token, ['number', 'string']);
  const pageSize = filter.page_size ?? DEFAULT_PAGE_SIZE;
  const where = buildJobConditions(ctx, kind, filter);
  const [rows, [total]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(table)
      .where(and(where, afterKey([table.createdAt, table.id], key, 'desc')))
      .orderBy(desc(table.createdAt), desc(table.id))
      .limit(pageSize + 1),
    ctx.db.select({ count: count() }).from(table).where(where),
  ]);
  const page = buildPage(rows as unknown as Row[], pageSize, (row) => [row.createdAt.getTime(), row.id]);
  return { ...page, total_size: total!.count };
}

function buildJobConditions(ctx: TenantContext, kind: JobKind, filter: JobFilter): SQL | undefined {
  const table = getJobTable(kind);
  const ids = filter.job_ids?.map((id) => toJobId(kind, id));
  return and(
    eq(table.projectId, ctx.projectId),
    isInNoDeletedBatch(table.batchId),
    ids && isInList(table.id, ids),
    // The status THROTTLED matches no job, because Sluice never throttles jobs.
    filter.status ? sql`${table.status} = ${filter.status}` : undefined,
    filter.statuses?.length ? isInList(table.status, filter.statuses) : undefined,
    filter.created_after ? gte(table.createdAt, filter.created_after) : undefined,
    filter.configuration_id ? eq(table.configurationId, `cfg-${bareId(filter.configuration_id)}`) : undefined,
    filter.file_input ? matchesInput(table.fileInput, maskInput(filter.file_input)) : undefined,
    filter.document_input_type ? eq(table.documentInputType, filter.document_input_type) : undefined,
    filter.created_at_on_or_after ? gte(table.createdAt, new Date(filter.created_at_on_or_after)) : undefined,
    filter.created_at_on_or_before
      ? lte(table.createdAt, new Date(filter.created_at_on_or_before))
      : undefined,
  );
}

/**
 * Returns the condition that a job has this input. Ids are stored as they were sent, with or without prefix
 * and in any case, so all forms are compared.
 */
function matchesInput(column: SQLiteColumn, input: string): SQL | undefined {
  if (!/^([a-z]{3}-)?[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(input)) return eq(column, input);
  const [given, bare] = [input.toLowerCase(), bareId(input)];
  const forms = given === bare ? [bare, `dfl-${bare}`, `pjb-${bare}`] : [given, bare];
  return inArray(sql`lower(${column})`, forms);
}

/** Cancels an unfinished job. Its worker stops within seconds. The function can be called again. */
export async function cancelJob<Row extends Job>(
  ctx: TenantContext,
  kind: JobKind,
  id: string,
): Promise<Row> {
  const before = await getJob<Row>(ctx, kind, id);
  if (isOpen(before.status)) {
    await ctx.objects.jobState(before.id).cancel({ kind, jobId: before.id, ...ATTEMPT_LIMITS[kind] });
  }
  const job = isOpen(before.status) ? await getJob<Row>(ctx, kind, id) : before;
  if (job.status === 'COMPLETED' || job.status === 'FAILED') {
    throw new Conflict(`${NAME[kind]} ${job.id} has ended (status: ${job.status}) and cannot be cancelled.`);
  }
  return job;
}

/** Deletes a job, its result and its webhook deliveries. Running work stops by itself. */
export async function deleteJob(ctx: TenantContext, kind: JobKind, id: string): Promise<void> {
  await dropJob(ctx, kind, await getJob(ctx, kind, id));
}

/** Deletes a job whose access has been checked. */
export async function dropJob(
  ctx: Context,
  kind: JobKind,
  job: { id: string; projectId: string },
): Promise<void> {
  const table = getJobTable(kind);
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
