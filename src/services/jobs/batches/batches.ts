import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Batch, batches, type JobStatus } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { ID_PREFIX } from '../kinds.ts';
import { ITEM_STATUS, type ItemStatus, joinJobs, REVIEW_STATE, type ReviewState } from './item-query.ts';

export interface BatchCounts {
  status: Partial<Record<ItemStatus, number>>;
  review: Partial<Record<ReviewState, number>>;
}

export interface CountedBatch {
  batch: Batch;
  counts: BatchCounts;
  status: JobStatus;
}

export async function getBatch(ctx: TenantContext, id: string): Promise<Batch> {
  const batch = await ctx.db.query.batches.findFirst({
    where: and(
      eq(batches.id, `bat-${bareId(id)}`),
      isNull(batches.deletedAt),
      withinScope(ctx, batches.projectId),
    ),
  });
  if (!batch) throw new NotFound('Batch');
  return batch;
}

/** Returns a page of the project's batches with their counts, newest first. */
export async function getBatchPage(
  ctx: TenantContext,
  query: {
    job_type?: Batch['jobType'] | null | undefined;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<Page<CountedBatch> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = and(
    eq(batches.projectId, ctx.projectId),
    isNull(batches.deletedAt),
    query.job_type ? eq(batches.jobType, query.job_type) : undefined,
  );
  const [rows, total] = await Promise.all([
    ctx.db
      .select()
      .from(batches)
      .where(and(where, afterKey([batches.createdAt, batches.id], key, 'desc')))
      .orderBy(desc(batches.createdAt), desc(batches.id))
      .limit(pageSize + 1),
    ctx.db.$count(batches, where),
  ]);
  const page = buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]);
  return { ...page, items: await countBatches(ctx, page.items), total_size: total };
}

/** Counts the items of batches by status of the job and by state of the review. */
export async function countBatches(ctx: Context, rows: Batch[]): Promise<CountedBatch[]> {
  const kinds = [...Map.groupBy(rows, ({ jobType }) => jobType)];
  const counted = await Promise.all(
    kinds.map(([kind, some]) => {
      const ids = some.map(({ id }) => id);
      return ctx.db.all<{ id: string; status: ItemStatus; review: ReviewState; items: number }>(
        sql`select item.batch_id as id, ${ITEM_STATUS} as status, ${REVIEW_STATE[kind]} as review,
          count(*) as items from ${joinJobs(kind)}
          where ${isInList(sql`item.batch_id`, ids)} group by 1, 2, 3`,
      );
    }),
  );
  const groups = Map.groupBy(counted.flat(), ({ id }) => id);
  return rows.map((batch) => {
    const counts: BatchCounts = { status: {}, review: {} };
    for (const { status, review, items } of groups.get(batch.id) ?? []) {
      counts.status[status] = (counts.status[status] ?? 0) + items;
      counts.review[review] = (counts.review[review] ?? 0) + items;
    }
    return { batch, counts, status: summarizeStatus(batch, counts) };
  });
}

/**
 * Returns the status of a batch. A batch with ended jobs is `COMPLETED` if at least one job has completed,
 * and `FAILED` otherwise.
 */
function summarizeStatus({ cancelledAt }: Batch, { status }: BatchCounts): JobStatus {
  const { PENDING = 0, RUNNING = 0, COMPLETED = 0, FAILED = 0, CANCELLED = 0 } = status;
  if (PENDING + RUNNING > 0) return RUNNING + COMPLETED + FAILED > 0 ? 'RUNNING' : 'PENDING';
  if (cancelledAt && CANCELLED > 0) return 'CANCELLED';
  return FAILED > 0 && COMPLETED === 0 ? 'FAILED' : 'COMPLETED';
}

async function countBatch(ctx: TenantContext, batch: Batch): Promise<CountedBatch> {
  const [counted] = await countBatches(ctx, [batch]);
  return counted!;
}

export async function getCountedBatch(ctx: TenantContext, id: string): Promise<CountedBatch> {
  return countBatch(ctx, await getBatch(ctx, id));
}

/** Stops a batch. Jobs that were not created yet are never created, and running jobs stop within seconds. */
export async function cancelBatch(ctx: TenantContext, id: string): Promise<CountedBatch> {
  const batch = await getBatch(ctx, id);
  await ctx.db
    .update(batches)
    .set({ cancelledAt: new Date() })
    .where(and(eq(batches.id, batch.id), isNull(batches.cancelledAt)));
  await ctx.objects.jobIntake(batch.projectId).advanceBatch(batch.id);
  return getCountedBatch(ctx, batch.id);
}

/**
 * Creates new jobs for the files whose jobs have failed, were cancelled or were refused by a limit. The old
 * jobs stay in the lists of jobs.
 */
export async function retryBatch(ctx: TenantContext, id: string): Promise<CountedBatch> {
  const batch = await getBatch(ctx, id);
  const failed = await ctx.db.all<{ position: number; jobId: string }>(
    sql`select item.position, item.job_id as jobId from ${joinJobs(batch.jobType)}
      where item.batch_id = ${batch.id} and item.state <> 'waiting'
      and ${ITEM_STATUS} in ('FAILED', 'CANCELLED', 'DELETED')`,
  );
  const renewed = failed.map(({ position, jobId }) => [position, jobId, newId(ID_PREFIX[batch.jobType])]);
  // The old job id is compared, so that one of two concurrent retries replaces the job.
  await ctx.db.run(sql`update batch_items set state = 'waiting', error_message = null, job_id = renewed.value ->> 2
    from json_each(${JSON.stringify(renewed)}) as renewed
    where batch_id = ${batch.id} and position = renewed.value ->> 0 and job_id = renewed.value ->> 1`);
  const isRenewed = sql`exists (select 1 from batch_items where batch_id = ${batch.id} and state = 'waiting')`;
  const finishedAt = sql`iif(${isRenewed}, null, ${batches.finishedAt})`;
  await ctx.db
    .update(batches)
    .set({ cancelledAt: null, finishedAt })
    .where(eq(batches.id, batch.id));
  await ctx.objects.jobIntake(batch.projectId).advanceBatch(batch.id);
  return getCountedBatch(ctx, batch.id);
}

/** Deletes a batch with its jobs, results and reviews. The jobs are deleted after the request. */
export async function deleteBatch(ctx: TenantContext, id: string): Promise<void> {
  const batch = await getBatch(ctx, id);
  await ctx.db.update(batches).set({ deletedAt: new Date() }).where(eq(batches.id, batch.id));
  await ctx.objects.jobIntake(batch.projectId).advanceBatch(batch.id);
}

/** Returns the configuration of a batch with masked secrets. Only parse parameters can contain secrets. */
export function maskBatchConfiguration(batch: Batch): Record<string, unknown> {
  return batch.jobType === 'parse' ? maskSecrets(parseParameters, batch.configuration) : batch.configuration;
}
