import { type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Batch, classifyJobs, type ExtractJob, extractJobs } from '#src/db/schema/index.ts';
import { iterateConfidences } from '#src/extraction/confidences.ts';
import {
  ITEM_STATUS,
  type ItemStatus,
  joinDetails,
  MEAN_CONFIDENCE,
  MIN_CONFIDENCE,
  REVIEW_STATE,
  type ReviewState,
} from './item-query.ts';

export interface ItemRow {
  position: number;
  fileId: string;
  fileName: string | null;
  jobId: string;
  status: ItemStatus;
  errorMessage: string | null;
  reviewState: ReviewState;
  minConfidence: number | null;
  meanConfidence: number | null;
  revision: number;
  corrections: string | null;
  reviewerId: string | null;
  reviewerName: string | null;
  reviewedAt: number | null;
}

export interface ItemFilter {
  status?: ItemStatus | null | undefined;
  review_state?: ReviewState | null | undefined;
  confidence_below?: number | null | undefined;
}

/** Result of a completed job in a list of items. */
export interface ItemResult {
  result: unknown;
  /** Confidences of the extracted values by JSON pointer into the result. */
  confidences: Record<string, number>;
  /** True if the result is too large for a list. The job itself has the result. */
  isOmitted: boolean;
}

/** Returns a page of a batch's items in the order of the files, and the number of items that match. */
export async function getItemPage(
  ctx: TenantContext,
  batch: Batch,
  query: ItemFilter & { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<ItemRow> & { total_size: number }> {
  const after = parsePageToken(query.page_token, ['number']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = buildItemConditions(batch, query);
  const [rows, [total]] = await Promise.all([
    selectItems(ctx, batch, where, after?.[0] ?? -1, pageSize + 1),
    ctx.db.all<{ items: number }>(
      sql`select count(*) as items from ${joinDetails(batch.jobType)} where ${where}`,
    ),
  ]);
  return { ...buildPage(rows, pageSize, ({ position }) => [position]), total_size: total?.items ?? 0 };
}

function buildItemConditions({ id, jobType }: Batch, filter: ItemFilter): SQL {
  return sql.join(
    [
      sql`batch.id = ${id}`,
      ...(filter.status ? [sql`${ITEM_STATUS} = ${filter.status}`] : []),
      ...(filter.review_state ? [sql`${REVIEW_STATE[jobType]} = ${filter.review_state}`] : []),
      ...(typeof filter.confidence_below === 'number'
        ? [sql`${MIN_CONFIDENCE[jobType]} < ${filter.confidence_below}`]
        : []),
    ],
    sql` and `,
  );
}

function selectItems(ctx: Context, { jobType }: Batch, where: SQL, after: number, limit: number) {
  const review = jobType === 'parse' ? sql`null` : undefined;
  return ctx.db.all<ItemRow>(sql`select item.position, item.file_id as fileId, file.name as fileName,
    item.job_id as jobId, ${ITEM_STATUS} as status,
    coalesce(item.error_message, job.error_message) as errorMessage, ${REVIEW_STATE[jobType]} as reviewState,
    ${MIN_CONFIDENCE[jobType]} as minConfidence, ${MEAN_CONFIDENCE[jobType]} as meanConfidence,
    coalesce(${review ?? sql`review.revision`}, 0) as revision,
    ${review ?? sql`review.corrections`} as corrections, ${review ?? sql`review.user_id`} as reviewerId,
    ${review ?? sql`review.user_name`} as reviewerName, ${review ?? sql`review.created_at`} as reviewedAt
    from ${joinDetails(jobType)} where ${where} and item.position > ${after}
    order by item.position limit ${limit}`);
}

/**
 * Reads the results of completed jobs that are stored in the database. Larger results, which are stored in
 * the bucket, are marked as omitted.
 */
export async function readItemResults(
  ctx: Context,
  batch: Batch,
  items: readonly ItemRow[],
): Promise<Map<string, ItemResult>> {
  const ids = items.filter(({ status }) => status === 'COMPLETED').map(({ jobId }) => jobId);
  if (ids.length === 0 || batch.jobType === 'parse') return new Map();
  if (batch.jobType === 'classify') {
    const { id, result } = classifyJobs;
    const rows = await ctx.db.select({ id, result }).from(classifyJobs).where(isInList(id, ids));
    return new Map(
      rows.map((row) => {
        const confidences: Record<string, number> = row.result ? { '/type': row.result.confidence } : {};
        return [row.id, { result: row.result, confidences, isOmitted: false }];
      }),
    );
  }
  const { id, result, resultMetadata } = extractJobs;
  const rows = await ctx.db.select({ id, result, resultMetadata }).from(extractJobs).where(isInList(id, ids));
  return new Map(rows.map((row) => [row.id, toItemResult(row)]));
}

function toItemResult(row: Pick<ExtractJob, 'result' | 'resultMetadata'>): ItemResult {
  return {
    result: row.result,
    confidences: Object.fromEntries(iterateConfidences(row.resultMetadata?.field_metadata)),
    isOmitted: row.resultMetadata === null,
  };
}

/**
 * Number of items that are read at once when all results of a batch are exported. An item may have 200,000
 * characters of corrections, and its job another 100,000 characters of results.
 */
const ITEMS_PER_READ = 25;

/** Yields all items of a batch in the order of the files, a few at a time. */
export async function* iterateItems(
  ctx: Context,
  batch: Batch,
  filter: ItemFilter,
): AsyncGenerator<ItemRow[]> {
  const where = buildItemConditions(batch, filter);
  for (let after = -1; ; ) {
    const rows = await selectItems(ctx, batch, where, after, ITEMS_PER_READ);
    yield rows;
    if (rows.length < ITEMS_PER_READ) return;
    after = rows.at(-1)!.position;
  }
}
