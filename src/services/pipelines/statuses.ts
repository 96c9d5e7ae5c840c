import { and, count, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { membersOf } from '#src/db/pipeline-members.ts';
import {
  type IngestionStatus,
  pipelineDataSources,
  pipelineMembers,
  syncRuns,
} from '#src/db/schema/index.ts';
import type { Run, Verdict } from '#src/work/sync-owner.ts';

/** Statuses of members that have not been processed to the end. */
const UNFINISHED: IngestionStatus[] = ['NOT_STARTED', 'IN_PROGRESS'];

/**
 * Marks planned members as in progress, so that no client takes an old SUCCESS for the new one. Members that
 * the run has finished, and runs that have ended, are not marked, because a plan may arrive late or twice.
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
    .where(and(isOneOf(id, ids), isOpen));
}

/**
 * Gives the unfinished members and data sources of a stopped run the status of the run. Those that have not
 * been started change only if the run was cancelled.
 */
export async function stopUnfinished(
  ctx: Context,
  { pipelineId, jobId }: Run,
  { status, error }: Verdict,
): Promise<void> {
  const changes = { status, statusUpdatedAt: new Date(), error: error ? { job_id: jobId, ...error } : null };
  const inProgress: IngestionStatus[] = status === 'CANCELLED' ? UNFINISHED : ['IN_PROGRESS'];
  await ctx.db.batch([
    // In the same step, so that planning no longer marks members of this run.
    ctx.db.update(syncRuns).set({ status }).where(eq(syncRuns.id, jobId)),
    ctx.db
      .update(pipelineMembers)
      .set(changes)
      .where(and(membersOf(pipelineId), inArray(pipelineMembers.status, inProgress))),
    ctx.db
      .update(pipelineDataSources)
      .set(changes)
      .where(
        and(eq(pipelineDataSources.pipelineId, pipelineId), inArray(pipelineDataSources.status, inProgress)),
      ),
  ]);
}

/** Fails members that are still in progress although no work remains. Their work was lost. */
export async function failForgotten(ctx: Context, { pipelineId, jobId }: Run): Promise<void> {
  const message = 'The work ended without a word. The next sync tries again.';
  await ctx.db
    .update(pipelineMembers)
    .set({
      status: 'ERROR',
      statusUpdatedAt: new Date(),
      error: { job_id: jobId, message, step: 'INGESTION' },
    })
    .where(and(membersOf(pipelineId), eq(pipelineMembers.status, 'IN_PROGRESS')));
}

/** Counts the selected members by status. */
export async function statusCounts(
  ctx: Context,
  where: SQL | undefined,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const counts: Partial<Record<IngestionStatus, number>> = {};
  for (const { status, n } of await statusCountRows(ctx, where)) counts[status] = (counts[status] ?? 0) + n;
  return counts;
}

/** Also groups by kind, which is the order of the index. */
export function statusCountRows(ctx: Context, where: SQL | undefined) {
  return ctx.db
    .select({ status: pipelineMembers.status, n: count() })
    .from(pipelineMembers)
    .where(where)
    .groupBy(pipelineMembers.kind, pipelineMembers.status);
}
