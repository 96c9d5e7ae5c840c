import { and, eq, isNotNull } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { whereFile, whereFiles, whereMembers, whereText } from '#src/db/pipeline-members.ts';
import {
  type IngestionError,
  type IngestionStatus,
  pipelineDataSources,
  pipelineIndexes,
  pipelineMembers,
  pipelines,
  syncRuns,
} from '#src/db/schema/index.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { findFittingIndex, selectOpenIndexes } from '#src/services/indexes/indexes.ts';
import { promoteIndex } from '#src/services/indexes/lifecycle.ts';
import { countByStatus, failLostMembers, stopUnfinished } from '#src/services/pipelines/member-statuses.ts';
import { buildRunCount } from '#src/services/usage/activity.ts';
import type { Run, WorkItem } from '#src/work/sync-owner.ts';
import { iterateDifferences } from './difference.ts';

type Failure = Pick<IngestionError, 'message' | 'step'>;

/**
 * Maximum number of errors in the status of a run, counted separately for data sources and for files and
 * texts.
 */
const MAX_REPORTED_ERRORS = 100;

export async function recordRun(ctx: Context, run: Run): Promise<void> {
  await ctx.db
    .insert(syncRuns)
    .values({
      id: run.jobId,
      pipelineId: run.pipelineId,
      generation: run.generation,
      status: 'IN_PROGRESS',
      reason: run.reason,
      counters: {},
      startedAt: new Date(run.startedAt),
    })
    // The run may already be recorded. If another request changed its reason while it was waiting, the reason
    // is updated.
    .onConflictDoUpdate({ target: syncRuns.id, set: { reason: run.reason } });
}

export interface Conclusion {
  /** True if the run replaced an index, which then has to be deleted. */
  isReplaced: boolean;
  /**
   * True if a new index lacks changes that were made during the run. Another run is needed to complete it.
   */
  isBehind: boolean;
}

/** Records the end of a sync run. A new index becomes the live index once it contains all files. */
export async function concludeRun(ctx: Context, run: Run): Promise<Conclusion> {
  const { pipelineId, verdict } = run;
  // Recording the start of the run may have failed, so the run is recorded again.
  if ((await ctx.db.$count(pipelines, eq(pipelines.id, pipelineId))) > 0) await recordRun(ctx, run);
  if (verdict) await stopUnfinished(ctx, run, verdict);
  else {
    if (!run.counters.superseded) await failLostMembers(ctx, run);
    await concludeSources(ctx, run);
  }
  const { status, errors } = await computeResult(ctx, run);
  const isBehind = !verdict && (await promoteBuilt(ctx, pipelineId)) === 'behind';
  const [counted] = await ctx.db.batch([
    buildRunCount(ctx, run),
    ctx.db
      .update(syncRuns)
      .set({ status, counters: run.counters, error: errors, finishedAt: new Date() })
      .where(eq(syncRuns.id, run.jobId)),
  ]);
  // A run may be ended twice, but is counted only once.
  if (counted.meta.changes > 0) {
    count('sluice_syncs_total', { status });
    observe('sluice_sync_seconds', { status }, (Date.now() - run.startedAt) / 1000);
  }
  ctx.metrics.flush();
  const retired = and(eq(pipelineIndexes.pipelineId, pipelineId), eq(pipelineIndexes.state, 'retired'));
  return { isReplaced: (await ctx.db.$count(pipelineIndexes, retired)) > 0, isBehind };
}

async function promoteBuilt(ctx: Context, pipelineId: string): Promise<'done' | 'behind' | 'failing'> {
  const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) });
  const index = pipeline && (await findFittingIndex(ctx, pipeline, await selectOpenIndexes(ctx, pipelineId)));
  if (!pipeline || index?.state !== 'building') return 'done';
  let lacks = false;
  for await (const { members, removedIds } of iterateDifferences(ctx, pipeline, index)) {
    lacks = true;
    // Files and texts that failed in this run do not start another run, because they would be retried
    // immediately.
    if (removedIds.length > 0 || members.some(({ status }) => status !== 'ERROR')) return 'behind';
  }
  if (lacks) return 'failing';
  await promoteIndex(ctx, index);
  return 'done';
}

/**
 * Sets the status of the data sources that the run has read. A data source gets the status ERROR, with the
 * number of failed files, if any of them failed.
 */
async function concludeSources(ctx: Context, run: Run): Promise<void> {
  const rows = await ctx.db
    .select({ id: pipelineDataSources.id, dataSourceId: pipelineDataSources.dataSourceId })
    .from(pipelineDataSources)
    .where(
      and(eq(pipelineDataSources.pipelineId, run.pipelineId), eq(pipelineDataSources.status, 'IN_PROGRESS')),
    );
  const now = new Date();
  for (const { id, dataSourceId } of rows) {
    const failures = await ctx.db.$count(
      pipelineMembers,
      and(
        whereFiles(run.pipelineId),
        eq(pipelineMembers.dataSourceId, dataSourceId),
        eq(pipelineMembers.status, 'ERROR'),
      ),
    );
    const message = `${failures} files of the data source could not be indexed.`;
    const error = failures > 0 ? { job_id: run.jobId, message, step: 'INGESTION' as const } : null;
    await ctx.db
      .update(pipelineDataSources)
      .set({ status: error ? 'ERROR' : 'SUCCESS', error, statusUpdatedAt: now, lastSyncedAt: now })
      .where(eq(pipelineDataSources.id, id));
  }
}

async function computeResult(
  ctx: Context,
  run: Run,
): Promise<{ status: IngestionStatus; errors: IngestionError[] | null }> {
  const { verdict, jobId, pipelineId } = run;
  const errors = await listReportedErrors(ctx, pipelineId);
  if (verdict?.error) errors.unshift({ job_id: jobId, ...verdict.error });
  if (verdict) return { status: verdict.status, errors: errors.length > 0 ? errors : null };
  const counts = await countByStatus(ctx, whereMembers(pipelineId));
  const failed = (counts.ERROR ?? 0) + (await countFailedSources(ctx, pipelineId));
  const succeeded = counts.SUCCESS ?? 0;
  const status = failed === 0 ? 'SUCCESS' : succeeded > 0 ? 'PARTIAL_SUCCESS' : 'ERROR';
  return { status, errors: errors.length > 0 ? errors : null };
}

async function countFailedSources(ctx: Context, pipelineId: string): Promise<number> {
  return ctx.db.$count(
    pipelineDataSources,
    and(eq(pipelineDataSources.pipelineId, pipelineId), eq(pipelineDataSources.status, 'ERROR')),
  );
}

async function listReportedErrors(ctx: Context, pipelineId: string): Promise<IngestionError[]> {
  const ofSources = eq(pipelineDataSources.pipelineId, pipelineId);
  const [sources, members] = await ctx.db.batch([
    ctx.db
      .select({ error: pipelineDataSources.error })
      .from(pipelineDataSources)
      .where(and(ofSources, eq(pipelineDataSources.status, 'ERROR'), isNotNull(pipelineDataSources.error)))
      .limit(MAX_REPORTED_ERRORS),
    ctx.db
      .select({ error: pipelineMembers.error })
      .from(pipelineMembers)
      .where(
        and(whereMembers(pipelineId), eq(pipelineMembers.status, 'ERROR'), isNotNull(pipelineMembers.error)),
      )
      .limit(MAX_REPORTED_ERRORS),
  ]);
  return [...sources, ...members].flatMap(({ error }) => (error ? [error] : []));
}

/** Stores the failure of a sync item that has no attempts left. */
export async function recordItemFailure(
  ctx: Context,
  run: Run,
  item: WorkItem,
  failure: Failure,
): Promise<void> {
  count('sluice_items_total', { outcome: 'given_up' });
  const changes = {
    status: 'ERROR' as const,
    statusUpdatedAt: new Date(),
    error: { job_id: run.jobId, ...failure },
  };
  if (item.kind === 'source') {
    await ctx.db
      .update(pipelineDataSources)
      .set(changes)
      .where(
        and(
          eq(pipelineDataSources.pipelineId, run.pipelineId),
          eq(pipelineDataSources.dataSourceId, item.dataSourceId),
        ),
      );
  } else if (item.kind !== 'removal') {
    const isMember =
      item.kind === 'document'
        ? whereText(run.pipelineId, item.documentId)
        : whereFile(run.pipelineId, item.fileId);
    await ctx.db.update(pipelineMembers).set(changes).where(isMember);
  }
}

/**
 * Returns whether another sync run has work to do: data sources to read, or differences between the pipeline
 * and its index.
 */
export async function hasDifferences(ctx: Context, run: Run, sources: 'all' | string[]): Promise<boolean> {
  const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, run.pipelineId) });
  if (!pipeline || pipeline.status === 'DELETING') return false;
  const ofPipeline = eq(pipelineDataSources.pipelineId, pipeline.id);
  const toRead = sources === 'all' ? await ctx.db.$count(pipelineDataSources, ofPipeline) : sources.length;
  if (toRead > 0) return true;
  const index = await findFittingIndex(ctx, pipeline, await selectOpenIndexes(ctx, pipeline.id));
  if (!index) return true;
  for await (const _ of iterateDifferences(ctx, pipeline, index)) return true;
  return false;
}
