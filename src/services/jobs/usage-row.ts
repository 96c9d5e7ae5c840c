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
