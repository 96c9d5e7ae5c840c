import { and, count, eq, inArray, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import {
  type IngestionStatus,
  pipelineDataSources,
  pipelineDocuments,
  pipelineFiles,
  syncRuns,
} from '#src/db/schema/index.ts';
import type { Run, Verdict } from '#src/work/sync-owner.ts';
import type { Difference } from './difference.ts';

/** Not finished: states that a run leaves behind only while it is on. */
const UNFINISHED: IngestionStatus[] = ['NOT_STARTED', 'IN_PROGRESS'];

/**
 * What is planned is in progress from now on, so that nobody reads an old SUCCESS as the new one. Not what the run
 * has finished already, nor anything once it is over: a plan may come late, and twice.
 */
export async function markPlanned(
  ctx: Context,
  pipelineId: string,
  jobId: string,
  { fileIds, documentIds }: Pick<Difference, 'fileIds' | 'documentIds'>,
): Promise<void> {
  const changes = { status: 'IN_PROGRESS' as const, statusUpdatedAt: new Date(), error: null };
  const isPlanned = (table: typeof pipelineFiles | typeof pipelineDocuments) => sql`exists (
    select 1 from sync_runs run where run.id = ${jobId} and run.status = 'IN_PROGRESS'
    and not (${table.status} in ('SUCCESS', 'ERROR') and ${table.statusUpdatedAt} >= run.started_at))`;
  const among = (ids: string[]) => sql`(select value from json_each(${JSON.stringify(ids)}))`;
  await ctx.db.batch([
    ctx.db
      .update(pipelineFiles)
      .set(changes)
      .where(
        and(
          eq(pipelineFiles.pipelineId, pipelineId),
          sql`${pipelineFiles.fileId} in ${among(fileIds)}`,
          isPlanned(pipelineFiles),
        ),
      ),
    ctx.db
      .update(pipelineDocuments)
      .set(changes)
      .where(
        and(
          eq(pipelineDocuments.pipelineId, pipelineId),
          sql`${pipelineDocuments.documentId} in ${among(documentIds)}`,
          isPlanned(pipelineDocuments),
        ),
      ),
  ]);
}

/** What a run that was stopped leaves unfinished says how it was stopped. */
export async function stopUnfinished(
  ctx: Context,
  { pipelineId, jobId }: Run,
  { status, error }: Verdict,
): Promise<void> {
  const changes = { status, statusUpdatedAt: new Date(), error: error ? { job_id: jobId, ...error } : null };
  const inProgress: IngestionStatus[] = status === 'CANCELLED' ? UNFINISHED : ['IN_PROGRESS'];
  await ctx.db.batch([
    // In the same step: from now on planning marks nothing of this run as in progress.
    ctx.db.update(syncRuns).set({ status }).where(eq(syncRuns.id, jobId)),
    ctx.db
      .update(pipelineFiles)
      .set(changes)
      .where(and(eq(pipelineFiles.pipelineId, pipelineId), inArray(pipelineFiles.status, inProgress))),
    ctx.db
      .update(pipelineDocuments)
      .set(changes)
      .where(
        and(eq(pipelineDocuments.pipelineId, pipelineId), inArray(pipelineDocuments.status, inProgress)),
      ),
    ctx.db
      .update(pipelineDataSources)
      .set(changes)
      .where(
        and(eq(pipelineDataSources.pipelineId, pipelineId), inArray(pipelineDataSources.status, inProgress)),
      ),
  ]);
}

/** When nothing is at work any more, nothing is in progress: what still says so was lost on its way. */
export async function failForgotten(ctx: Context, { pipelineId, jobId }: Run): Promise<void> {
  const message = 'The work ended without a word. The next sync tries again.';
  const changes = {
    status: 'ERROR' as const,
    statusUpdatedAt: new Date(),
    error: { job_id: jobId, message, step: 'INGESTION' as const },
  };
  await ctx.db.batch([
    ctx.db
      .update(pipelineFiles)
      .set(changes)
      .where(and(eq(pipelineFiles.pipelineId, pipelineId), eq(pipelineFiles.status, 'IN_PROGRESS'))),
    ctx.db
      .update(pipelineDocuments)
      .set(changes)
      .where(and(eq(pipelineDocuments.pipelineId, pipelineId), eq(pipelineDocuments.status, 'IN_PROGRESS'))),
  ]);
}

/** How many of the pipeline's files and documents are in each state. */
export async function statusCounts(
  ctx: Context,
  pipelineId: string,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const [ofFiles, ofDocuments] = await ctx.db.batch([
    ctx.db
      .select({ status: pipelineFiles.status, n: count() })
      .from(pipelineFiles)
      .where(eq(pipelineFiles.pipelineId, pipelineId))
      .groupBy(pipelineFiles.status),
    ctx.db
      .select({ status: pipelineDocuments.status, n: count() })
      .from(pipelineDocuments)
      .where(eq(pipelineDocuments.pipelineId, pipelineId))
      .groupBy(pipelineDocuments.status),
  ]);
  const counts: Partial<Record<IngestionStatus, number>> = {};
  for (const { status, n } of [...ofFiles, ...ofDocuments]) counts[status] = (counts[status] ?? 0) + n;
  return counts;
}
