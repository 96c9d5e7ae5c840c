import { type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import type { Batch, BatchItem } from '#src/db/schema/index.ts';
import { ITEM_STATUS, type ItemStatus, joinJobs } from './item-query.ts';
import { MAX_BATCH_FILES } from './select-files.ts';

/** File of a batch with the state of its job, without results and reviews. */
export interface ItemJob {
  fileId: string;
  fileName: string | null;
  jobId: string;
  state: BatchItem['state'];
  status: ItemStatus;
  errorMessage: string | null;
  startedAt: number | null;
  finishedAt: number | null;
}

/** Returns files of a batch in their order, by default all of them, and the number of files that match. */
export async function listItemJobs(
  ctx: TenantContext,
  batch: Batch,
  query: { status?: ItemStatus | undefined; limit?: number | undefined; offset?: number | undefined } = {},
): Promise<{ items: ItemJob[]; total: number }> {
  const { status, limit = MAX_BATCH_FILES, offset = 0 } = query;
  const where: SQL = sql`batch.id = ${batch.id} ${status ? sql`and ${ITEM_STATUS} = ${status}` : sql``}`;
  const [items, [counted]] = await Promise.all([
    ctx.db.all<ItemJob>(sql`select item.file_id as fileId, file.name as fileName, item.job_id as jobId,
      item.state as state, ${ITEM_STATUS} as status, coalesce(item.error_message, job.error_message) as errorMessage,
      job.started_at as startedAt, job.finished_at as finishedAt
      from ${joinJobs(batch.jobType)} left join files file on file.id = item.file_id
      where ${where} order by item.position limit ${limit} offset ${offset}`),
    ctx.db.all<{ total: number }>(
      sql`select count(*) as total from ${joinJobs(batch.jobType)} where ${where}`,
    ),
  ]);
  return { items, total: counted?.total ?? 0 };
}
