import type { Context } from '#src/context/context.ts';
import { type ConditionalRow, createConditionalRow } from '#src/db/conditional-insert.ts';
import { usageRecords } from '#src/db/schema/index.ts';
import { derivedId } from '#src/lib/ids.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { hasStatus } from './job-events.ts';
import type { Job } from './kinds.ts';

/** Builds the usage record of a job. It is inserted in the same batch that completes the job. */
export async function buildUsageRow(
  kind: JobKind,
  job: Job,
  pages: number,
  credits: number,
): Promise<ConditionalRow> {
  const row = {
    id: await derivedId('usage', kind, job.id),
    projectId: job.projectId,
    product: kind,
    jobId: job.id,
    pages,
    credits,
    createdAt: new Date(),
  };
  return createConditionalRow(usageRecords, row, hasStatus(kind, job.id, 'COMPLETED'));
}

/**
 * Records the usage of work that is no job, such as the evaluation of a file. `workId` identifies the work, so that
 * repeated work is counted once.
 */
export async function recordUsage(
  ctx: Context,
  kind: JobKind,
  { projectId, workId }: { projectId: string; workId: string },
  pages: number,
  credits: number,
): Promise<void> {
  const id = await derivedId('usage', kind, workId);
  await ctx.db
    .insert(usageRecords)
    .values({ id, projectId, product: kind, jobId: workId, pages, credits, createdAt: new Date() })
    .onConflictDoNothing();
}
