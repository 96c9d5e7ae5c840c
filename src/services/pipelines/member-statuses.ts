import { and, count, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { whereMembers } from '#src/db/pipeline-members.ts';
import {
  type IngestionStatus,
  pipelineDataSources,
  pipelineMembers,
  syncRuns,
} from '#src/db/schema/index.ts';
import type { Run, Verdict } from '#src/work/sync-owner.ts';

const UNFINISHED: IngestionStatus[] = ['NOT_STARTED', 'IN_PROGRESS'];

/**
 * Marks planned files and texts as in progress, so that clients do not mistake an earlier SUCCESS for the new
 * one. A plan may arrive late or twice, so finished files and texts are not marked again.
 */
export async function markPlanned(
  ctx: Context,
  jobId: string,
  members: readonly { id: string }[],
): Promise<void> {
  if (members.length === 0) return;
  const { id, status, statusUpdatedAt } = pipelineMembers;
  const ids = members.map((each) => each.id);
  const isOpen = sql`exists (
    select 1 from sync_runs run where run.id = ${jobId} and run.status = 'IN_PROGRESS'
    and not (${status} in ('SUCCESS', 'ERROR') and ${statusUpdatedAt} >= run.started_at))`;
  await ctx.db
    .update(pipelineMembers)
    .set({ status: 'IN_PROGRESS', statusUpdatedAt: new Date(), error: null, jobId })
    .where(and(isInList(id, ids), isOpen));
}

/**
 * Sets the status of a stopped sync run for its unfinished files, texts and data sources. If the run was
 * cancelled, this includes those that were not started.
 */
export async function stopUnfinished(
  ctx: Context,
  { pipelineId, jobId }: Run,
  { status, error }: Verdict,
): Promise<void> {
  const changes = { status, statusUpdatedAt: new Date(), error: error ? { job_id: jobId, ...error } : null };
  const inProgress: IngestionStatus[] = status === 'CANCELLED' ? UNFINISHED : ['IN_PROGRESS'];
  await ctx.db.batch([
    // The run's status is updated in the same batch, so that a late plan cannot mark further files and texts
    // as in progress.
    ctx.db.update(syncRuns).set({ status }).where(eq(syncRuns.id, jobId)),
    ctx.db
      .update(pipelineMembers)
      .set(changes)
      .where(and(whereMembers(pipelineId), inArray(pipelineMembers.status, inProgress))),
    ctx.db
      .update(pipelineDataSources)
      .set(changes)
      .where(
        and(eq(pipelineDataSources.pipelineId, pipelineId), inArray(pipelineDataSources.status, inProgress)),
      ),
  ]);
}

/**
 * Marks files and texts as failed that are still in progress although the run has no work left, because their
 * work was lost.
 */
export async function failLostMembers(ctx: Context, { pipelineId, jobId }: Run): Promise<void> {
  const message = 'The work ended without a result. The next sync tries again.';
  await ctx.db
    .update(pipelineMembers)
    .set({
      status: 'ERROR',
      statusUpdatedAt: new Date(),
      error: { job_id: jobId, message, step: 'INGESTION' },
    })
    .where(and(whereMembers(pipelineId), eq(pipelineMembers.status, 'IN_PROGRESS')));
}

export async function countByStatus(
  ctx: Context,
  where: SQL | undefined,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const counts: Partial<Record<IngestionStatus, number>> = {};
  for (const { status, n } of await selectStatusCounts(ctx, where))
    counts[status] = (counts[status] ?? 0) + n;
  return counts;
}

/** Counts files and texts by status. Grouping by kind as well lets SQLite use an index. */
export function selectStatusCounts(ctx: Context, where: SQL | undefined) {
  return ctx.db
    .select({ status: pipelineMembers.status, n: count() })
    .from(pipelineMembers)
    .where(where)
    .groupBy(pipelineMembers.kind, pipelineMembers.status);
}
