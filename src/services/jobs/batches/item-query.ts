import { type SQL, sql } from 'drizzle-orm';
import { BATCH_JOB_TYPES, type BatchJobType } from '#src/db/schema/index.ts';
import { TABLE_NAME } from '../kinds.ts';

export const ITEM_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'DELETED'] as const;
/** Status of a file in a batch. `DELETED` means that its job was deleted. */
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export const REVIEW_STATES = ['none', 'corrected', 'approved'] as const;
/** State of a job's review. `corrected` means that values were corrected, but the result is not approved. */
export type ReviewState = (typeof REVIEW_STATES)[number];

const REVIEW_TABLE = { extract: 'extract_reviews', classify: 'classify_reviews' } as const;

/** Items of batches. A query must select the batches by `batch.id`, because the batches are read first. */
const ITEMS = sql`batches batch cross join batch_items item on item.batch_id = batch.id`;

/** Joins the items of batches with their job. */
export const joinJobs = (kind: BatchJobType): SQL =>
  sql`${ITEMS} left join ${sql.raw(TABLE_NAME[kind])} job on job.id = item.job_id`;

/** Joins the items of batches with their job, file and the current revision of the review. */
export const joinDetails = (kind: BatchJobType): SQL =>
  sql`${joinJobs(kind)} left join files file on file.id = item.file_id
    ${kind === 'parse' ? sql`` : sql`left join ${matchReview(kind)}`}`;

/** Joins the items of batches with the current revision of the review. Leaves out items without a review. */
export const joinReviews = (kind: Exclude<BatchJobType, 'parse'>): SQL =>
  sql`${ITEMS} join ${matchReview(kind)}`;

function matchReview(kind: Exclude<BatchJobType, 'parse'>): SQL {
  const reviews = sql.raw(REVIEW_TABLE[kind]);
  return sql`${reviews} review on review.job_id = item.job_id
    and review.revision = (select max(revision) from ${reviews} own where own.job_id = item.job_id)`;
}

export const ITEM_STATUS = sql`case
  when item.state = 'refused' then 'FAILED'
  when job.status is not null then job.status
  when item.state = 'created' then 'DELETED'
  when batch.cancelled_at is not null then 'CANCELLED'
  else 'PENDING' end`;

const reviewState = sql`case
  when review.is_approved then 'approved'
  when coalesce(review.corrections, '{}') <> '{}' then 'corrected'
  else 'none' end`;

export const REVIEW_STATE: Record<BatchJobType, SQL> = {
  extract: reviewState,
  classify: reviewState,
  parse: sql`'none'`,
};

/** Lowest confidence of the values of a job, from 0 to 1. Null if the job has no confidences. */
export const MIN_CONFIDENCE: Record<BatchJobType, SQL> = {
  extract: sql`job.confidence_min`,
  classify: sql`job.result ->> 'confidence'`,
  parse: sql`null`,
};

export const MEAN_CONFIDENCE: Record<BatchJobType, SQL> = {
  ...MIN_CONFIDENCE,
  extract: sql`job.confidence_mean`,
};

/** Status of the row of the table `batches`, by the statuses of its items, as `summarizeStatus` computes it. */
export const BATCH_STATUS = sql`(select case
  when sum(status in ('PENDING', 'RUNNING')) > 0
    then iif(sum(status in ('RUNNING', 'COMPLETED', 'FAILED')) > 0, 'RUNNING', 'PENDING')
  when batches.cancelled_at is not null and sum(status = 'CANCELLED') > 0 then 'CANCELLED'
  when sum(status = 'FAILED') > 0 and sum(status = 'COMPLETED') = 0 then 'FAILED'
  else 'COMPLETED' end
  from (select case batches.job_type ${sql.join(
    BATCH_JOB_TYPES.map(
      (kind) => sql`when ${sql.raw(`'${kind}'`)} then (
        select ${ITEM_STATUS} from ${joinJobs(kind)} where batch.id = own.batch_id and item.position = own.position)`,
    ),
    sql` `,
  )} end as status from batch_items own where own.batch_id = batches.id))`;
