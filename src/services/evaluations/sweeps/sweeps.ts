import { and, desc, eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type EvaluationSweep, evaluationSweeps, questionSets } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { startWaitingRuns } from '../advance-run.ts';
import type { PageQuery } from '../question-sets.ts';
import { stopRun } from '../run-state.ts';
import { removeCopies } from './copies.ts';

/** A sweep with the name of its question set and its progress. */
export type ShownSweep = EvaluationSweep & {
  questionSetName: string;
  evaluatedCount: number;
  failedCount: number;
  pendingCount: number;
};

const countItems = (condition: string) =>
  sql<number>`(select count(*) from sweep_results where run_id = evaluation_sweeps.id and status ${sql.raw(condition)})`;

const selectSweeps = (ctx: TenantContext) =>
  ctx.db
    .select({
      sweep: evaluationSweeps,
      questionSetName: questionSets.name,
      evaluatedCount: countItems(`<> 'pending'`),
      failedCount: countItems(`= 'failed'`),
      pendingCount: countItems(`= 'pending'`),
    })
    .from(evaluationSweeps)
    .innerJoin(questionSets, eq(questionSets.id, evaluationSweeps.questionSetId))
    .$dynamic();

/** Returns a page of the project's sweeps, newest first. */
export async function getSweepPage(
  ctx: TenantContext,
  query: PageQuery & { question_set_id?: string | null | undefined },
): Promise<Page<ShownSweep>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await selectSweeps(ctx)
    .where(
      and(
        eq(evaluationSweeps.projectId, ctx.projectId),
        query.question_set_id ? eq(evaluationSweeps.questionSetId, query.question_set_id) : undefined,
        afterKey([evaluationSweeps.createdAt, evaluationSweeps.id], key, 'desc'),
      ),
    )
    .orderBy(desc(evaluationSweeps.createdAt), desc(evaluationSweeps.id))
    .limit(size + 1);
  const shown = rows.map(({ sweep, ...rest }) => ({ ...sweep, ...rest }));
  return buildPage(shown, size, (row) => [row.createdAt.getTime(), row.id]);
}

export async function getSweep(ctx: TenantContext, id: string): Promise<ShownSweep> {
  const [found] = await selectSweeps(ctx).where(
    and(eq(evaluationSweeps.id, id), withinScope(ctx, evaluationSweeps.projectId)),
  );
  if (!found) throw new NotFound('Evaluation sweep', id);
  const { sweep, ...rest } = found;
  return { ...sweep, ...rest };
}

/** Stops a sweep and deletes its copies of the pipeline. Does nothing if the sweep has ended. */
export async function cancelSweep(ctx: TenantContext, id: string): Promise<ShownSweep> {
  const sweep = await getSweep(ctx, id);
  await stopRun(ctx, 'sweep', sweep.id);
  await removeCopies(ctx, sweep.id);
  await startWaitingRuns(ctx, sweep.projectId);
  return getSweep(ctx, id);
}

/** Deletes a sweep with its results and its copies of the pipeline. */
export async function deleteSweep(ctx: TenantContext, id: string): Promise<void> {
  const sweep = await getSweep(ctx, id);
  await stopRun(ctx, 'sweep', sweep.id);
  await removeCopies(ctx, sweep.id);
  await deleteInBatches(ctx.db, 'evaluation_sweeps', sweep.id);
  await ctx.db.delete(evaluationSweeps).where(eq(evaluationSweeps.id, sweep.id));
  await startWaitingRuns(ctx, sweep.projectId);
}
