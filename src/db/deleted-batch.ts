import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

/**
 * Returns the SQL condition that a job does not belong to a batch whose deletion was requested. The rows of
 * such jobs are deleted in steps after the request, and until then they are treated as absent.
 */
export const isInNoDeletedBatch = (batchId: SQLiteColumn | SQL): SQL =>
  sql`not exists (select 1 from batches gone where gone.id = ${batchId} and gone.deleted_at is not null)`;

/**
 * Returns the SQL condition that the job with this id does not belong to a batch whose deletion was requested.
 * The job may be of any kind. The id of a batch is accepted as well, because deliveries of batches have it in place of a job.
 */
export const isJobOfNoDeletedBatch = (jobId: SQLiteColumn | SQL): SQL =>
  // D1 refuses a union of more than five queries.
  sql`not exists (select 1 from batches gone where gone.deleted_at is not null and gone.id in (
    ${jobId},
    (select batch_id from extract_jobs where id = ${jobId}),
    (select batch_id from classify_jobs where id = ${jobId}),
    (select batch_id from split_jobs where id = ${jobId}),
    (select batch_id from sheets_jobs where id = ${jobId}),
    (select batch_id from parse_jobs where id = ${jobId})))`;
