import { type SQL, sql } from 'drizzle-orm';
import type { JobKind } from '#src/work/job-owner.ts';
import { TABLE_NAME } from '../kinds.ts';

export const ITEM_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'DELETED'] as const;
/** Status of a file in a batch. `DELETED` means that its job was deleted. */
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export const REVIEW_STATES = ['none', 'corrected', 'approved'] as const;
/** State of a job's review. `corrected` means that values were corrected, but the result is not approved. */
export type ReviewState = (typeof REVIEW_STATES)[number];

const REVIEW_TABLE = { extract: 'extract_reviews', classify: 'classify_reviews' } as const;

/** Joins the items of batches with their batch, job, file and the current revision of the review. */
export function joinJobs(kind: JobKind): SQL {
  const job = sql`batch_items item join batches batch on batch.id = item.batch_id
    left join ${sql.raw(TABLE_NAME[kind])} job on job.id = item.job_id
    left join files file on file.id = item.file_id`;
  if (kind === 'parse') return job;
  const reviews = sql.raw(REVIEW_TABLE[kind]);
  return sql`${job} left join ${reviews} review on review.job_id = item.job_id
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

export const REVIEW_STATE: Record<JobKind, SQL> = {
  extract: reviewState,
  classify: reviewState,
  parse: sql`'none'`,
};

/** Lowest confidence of the values of a job, from 0 to 1. Null if the job has no confidences. */
export const MIN_CONFIDENCE: Record<JobKind, SQL> = {
  extract: sql`job.confidence_min`,
  classify: sql`job.result ->> 'confidence'`,
  parse: sql`null`,
};

export const MEAN_CONFIDENCE: Record<JobKind, SQL> = {
  ...MIN_CONFIDENCE,
  extract: sql`job.confidence_mean`,
};
