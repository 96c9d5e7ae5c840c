import { and, desc, eq, gte, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Batch, type BatchJobType, batches, type JobStatus } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { ID_PREFIX } from '../kinds.ts';
import {
  BATCH_STATUS,
  ITEM_STATUS,
  type ItemStatus,
  joinJobs,
  joinReviews,
  REVIEW_STATE,
  type ReviewState,
} from './item-query.ts';

export interface BatchCounts {
  status: Partial<Record<ItemStatus, number>>;
  review: Partial<Record<ReviewState, number>>;
}

export interface CountedBatch {
  batch: Batch;
  counts: BatchCounts;
  status: JobStatus;
}

/** Returns a batch. Throws NotFound if its deletion was requested. */
export async function getBatch(ctx: TenantContext, id: string): Promise<Batch> {
  const batch = await findBatch(ctx, id);
  if (!batch || batch.deletedAt) throw new NotFound('Batch');
  return batch;
}

const findBatch = (ctx: TenantContext, id: string): Promise<Batch | undefined> =>
  ctx.db.query.batches.findFirst({
    where: and(eq(batches.id, `bat-${bareId(id)}`), withinScope(ctx, batches.projectId)),
  });

export interface BatchQuery {
  job_type?: Batch['jobType'] | null | undefined;
  directory_id?: string | null | undefined;
  status?: string | null | undefined;
  created_at_on_or_after?: string | null | undefined;
  created_at_on_or_before?: string | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
  /** Number of batches to skip. */
  offset?: number | null | undefined;
}

/** Returns a page of the project's batches with their counts, newest first. */
export async function getBatchPage(
  ctx: TenantContext,
  query: BatchQuery,
): Promise<Page<CountedBatch> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = and(
    eq(batches.projectId, ctx.projectId),
    isNull(batches.deletedAt),
    query.job_type ? eq(batches.jobType, query.job_type) : undefined,
    query.directory_id ? eq(batches.directoryId, `dir-${bareId(query.directory_id)}`) : undefined,
    query.created_at_on_or_after ? gte(batches.createdAt, new Date(query.created_at_on_or_after)) : undefined,
    query.created_at_on_or_before
      ? lte(batches.createdAt, new Date(query.created_at_on_or_before))
      : undefined,
    query.status ? sql`${BATCH_STATUS} = ${query.status}` : undefined,
  );
  const [rows, total] = await Promise.all([
    ctx.db
      .select()
      .from(batches)
      .where(and(where, afterKey([batches.createdAt, batches.id], key, 'desc')))
      .orderBy(desc(batches.createdAt), desc(batches.id))
      .limit(pageSize + 1)
      .offset(query.offset ?? 0),
    ctx.db.$count(batches, where),
  ]);
  const page = buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]);
  return { ...page, items: await countBatches(ctx, page.items), total_size: total };
}

/** Counts the items of batches by status of the job and by state of the review. */
export async function countBatches(ctx: Context, rows: Batch[]): Promise<CountedBatch[]> {
  const kinds = [...Map.groupBy(rows, ({ jobType }) => jobType)];
  const counted = await Promise.all(
    kinds.map(([kind, some]) => countItems(ctx, kind, isInList(sql`batch.id`, getIds(some)))),
  );
  return rows.map((batch) => {
    const isOwn = ({ id }: { id: string }) => id === batch.id;
    const states = counted.flatMap(({ statuses }) => statuses.filter(isOwn));
    const reviews = counted.flatMap(({ reviewed }) => reviewed.filter(isOwn));
    const sum = (found: { items: number }[]) => found.reduce((total, { items }) => total + items, 0);
    const counts: BatchCounts = {
      status: Object.fromEntries(states.map(({ status, items }) => [status, items])),
      review: {
        ...Object.fromEntries(reviews.map(({ review, items }) => [review, items])),
        none: sum(states) - sum(reviews.filter(({ review }) => review !== 'none')),
      },
    };
    return { batch, counts, status: summarizeStatus(batch, counts) };
  });
}

const getIds = (rows: { id: string }[]) => rows.map(({ id }) => id);

/**
 * Counts the items of batches by status, and those with a review by its state. Most items of large batches
 * have no review, so reviews are joined only for those that have one.
 */
async function countItems(ctx: Context, kind: BatchJobType, where: SQL) {
  const [statuses, reviewed] = await Promise.all([
    ctx.db.all<{ id: string; status: ItemStatus; items: number }>(
      sql`select batch.id, ${ITEM_STATUS} as status, count(*) as items from ${joinJobs(kind)}
        where ${where} group by 1, 2`,
    ),
    kind === 'parse'
      ? []
      : ctx.db.all<{ id: string; review: ReviewState; items: number }>(
          sql`select batch.id, ${REVIEW_STATE[kind]} as review, count(*) as items from ${joinReviews(kind)}
            where ${where} group by 1, 2`,
        ),
  ]);
  return { statuses, reviewed };
}

/**
 * Returns the status of a batch, like the SQL expression `BATCH_STATUS`. A batch with ended jobs is `COMPLETED` if at least one job has completed,
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
    // The time of the last request is stored, so that a concurrent retry notices the request.
    .set({ cancelledAt: new Date() })
    .where(eq(batches.id, batch.id));
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
      where batch.id = ${batch.id} and item.state <> 'waiting'
      and ${ITEM_STATUS} in ('FAILED', 'CANCELLED', 'DELETED')`,
  );
  const renewed = failed.map(({ position, jobId }) => [position, jobId, newId(ID_PREFIX[batch.jobType])]);
  // The old job id is compared, so that one of two concurrent retries replaces the job.
  await ctx.db.run(sql`update batch_items set state = 'waiting', error_message = null, job_id = renewed.value ->> 2
    from json_each(${JSON.stringify(renewed)}) as renewed
    where batch_id = ${batch.id} and position = renewed.value ->> 0 and job_id = renewed.value ->> 1`);
  const isRenewed = sql`exists (select 1 from batch_items where batch_id = ${batch.id} and state = 'waiting')`;
  const finishedAt = sql`iif(${isRenewed}, null, ${batches.finishedAt})`;
  // A cancel request that came after the batch was read stays in effect.
  const cancelledAt = batch.cancelledAt
    ? sql`nullif(${batches.cancelledAt}, ${batch.cancelledAt.getTime()})`
    : undefined;
  await ctx.db.update(batches).set({ cancelledAt, finishedAt }).where(eq(batches.id, batch.id));
  await ctx.objects.jobIntake(batch.projectId).advanceBatch(batch.id);
  return getCountedBatch(ctx, batch.id);
}

/**
 * Deletes a batch with its jobs, results and reviews. Their rows are deleted after the request. If the job
 * intake could not be reached, the request can be repeated as long as the batch has a row.
 */
export async function deleteBatch(ctx: TenantContext, id: string): Promise<void> {
  const batch = await findBatch(ctx, id);
  if (!batch) throw new NotFound('Batch');
  await ctx.db
    .update(batches)
    .set({ deletedAt: new Date() })
    .where(and(eq(batches.id, batch.id), isNull(batches.deletedAt)));
  await ctx.objects.jobIntake(batch.projectId).advanceBatch(batch.id);
}

/** Returns the configuration of a batch with masked secrets. Only parse parameters can contain secrets. */
export function maskBatchConfiguration(batch: Batch): Record<string, unknown> {
  return batch.jobType === 'parse' ? maskSecrets(parseParameters, batch.configuration) : batch.configuration;
}
