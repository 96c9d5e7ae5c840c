import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { BATCH_JOB_TYPES } from '#src/db/schema/index.ts';
import { type CountedBatch, maskBatchConfiguration } from '#src/services/jobs/batches/batches.ts';
import { ITEM_STATUSES, REVIEW_STATES } from '#src/services/jobs/batches/item-query.ts';
import type { ItemResult, ItemRow } from '#src/services/jobs/batches/items.ts';
import { removeSavedParsing } from '#src/services/jobs/parameters.ts';

const map = z.record(z.string(), z.unknown());
const counts = <const Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodInt>);

export const batchBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string(),
    name: z.string(),
    job_type: z.enum(BATCH_JOB_TYPES),
    status: z
      .enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
      .describe('`COMPLETED` if all jobs have ended and at least one has a result.'),
    file_count: z.int(),
    status_counts: counts(ITEM_STATUSES).describe('Number of files by status of their job.'),
    review_counts: counts(REVIEW_STATES).describe('Number of files by state of their review.'),
    configuration: map.nullish().describe('Only in the answers for one batch.'),
    configuration_id: z.string().nullish(),
    directory_id: z.string().nullish().describe('Directory whose files the batch processes.'),
    transaction_id: z.string().nullish(),
    created_at: timestamp,
    updated_at: timestamp,
    finished_at: timestamp
      .nullish()
      .describe('Time at which the end of the last job was noticed. Null while jobs are left.'),
  })
  .meta({ id: 'Batch' });

const countAll = <const Name extends string>(names: readonly Name[], some: Partial<Record<Name, number>>) =>
  Object.fromEntries(names.map((name) => [name, some[name] ?? 0])) as Record<Name, number>;

export function presentBatch({ batch, counts, status }: CountedBatch): z.input<typeof batchBody> {
  return {
    id: batch.id,
    project_id: batch.projectId,
    user_id: batch.userId,
    name: batch.name,
    job_type: batch.jobType,
    status,
    file_count: batch.fileCount,
    status_counts: countAll(ITEM_STATUSES, counts.status),
    review_counts: countAll(REVIEW_STATES, counts.review),
    configuration: removeSavedParsing(maskBatchConfiguration(batch)),
    configuration_id: batch.configurationId,
    directory_id: batch.directoryId,
    transaction_id: batch.transactionId,
    created_at: batch.createdAt.toISOString(),
    updated_at: batch.updatedAt.toISOString(),
    finished_at: batch.finishedAt?.toISOString() ?? null,
  };
}

export const batchItemBody = z
  .object({
    position: z.int(),
    file_id: z.string(),
    file_name: z.string().nullable().describe('Null if the file was deleted.'),
    job_id: z.string().describe('A retry of the file has another job.'),
    status: z.enum(ITEM_STATUSES).describe('`DELETED` if the job was deleted.'),
    error_message: z.string().nullish(),
    review_state: z
      .enum(REVIEW_STATES)
      .describe('`corrected` if values were corrected, and the result is not approved yet.'),
    review_revision: z.int(),
    reviewed_by: z.object({ user_id: z.string(), name: z.string().nullable() }).nullish(),
    reviewed_at: timestamp.nullish(),
    min_confidence: z.number().nullish().describe('Lowest confidence of the values, from 0 to 1.'),
    mean_confidence: z.number().nullish().describe('Mean confidence of the values, from 0 to 1.'),
    result: z.unknown().optional().describe('Result of the job, with `expand=result`.'),
    result_omitted: z.boolean().nullish().describe('True if the result is too large for this list.'),
    confidences: z
      .record(z.string(), z.number())
      .nullish()
      .describe('Confidences by JSON pointer into the result, with `expand=result`.'),
    corrections: map.nullish().describe('Corrected values of the review, with `expand=result`.'),
  })
  .meta({ id: 'BatchItem' });

export function presentItem(
  item: ItemRow,
  found: ItemResult | undefined,
  isExpanded: boolean,
): z.input<typeof batchItemBody> {
  return {
    position: item.position,
    file_id: item.fileId,
    file_name: item.fileName,
    job_id: item.jobId,
    status: item.status,
    error_message: item.errorMessage,
    review_state: item.reviewState,
    review_revision: item.revision,
    reviewed_by: item.reviewerId === null ? null : { user_id: item.reviewerId, name: item.reviewerName },
    reviewed_at: item.reviewedAt === null ? null : new Date(item.reviewedAt).toISOString(),
    min_confidence: item.minConfidence,
    mean_confidence: item.meanConfidence,
    ...(isExpanded && {
      result: found?.result ?? null,
      result_omitted: found?.isOmitted ?? false,
      confidences: found?.confidences ?? {},
      corrections:
        item.corrections === null ? null : (JSON.parse(item.corrections) as Record<string, unknown>),
    }),
  };
}
