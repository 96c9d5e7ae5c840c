import { eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { type EvaluationRun, evaluationRuns, webhookDeliveries } from '#src/db/schema/index.ts';
import { startWaitingRuns } from './advance-run.ts';
import { stopRun } from './run-state.ts';
import { getRun } from './runs.ts';

/** Deletes a run with its results. A consumer that evaluates its questions stops. */
export async function deleteRun(ctx: TenantContext, id: string): Promise<void> {
  await removeRun(ctx, await getRun(ctx, id));
}

/** Deletes a run with its results and the webhook deliveries that report its end. */
export async function removeRun(
  ctx: Context,
  { id, projectId }: Pick<EvaluationRun, 'id' | 'projectId'>,
): Promise<void> {
  await stopRun(ctx, 'retrieval', id);
  await removeDeliveries(ctx, eq(webhookDeliveries.jobId, id));
  await deleteInBatches(ctx.db, 'evaluation_runs', id);
  await ctx.db.delete(evaluationRuns).where(eq(evaluationRuns.id, id));
  await startWaitingRuns(ctx, projectId);
}

/** Deletes the webhook deliveries of all runs of a question set. */
export const removeDeliveriesOfSet = (ctx: Context, questionSetId: string): Promise<void> =>
  removeDeliveries(
    ctx,
    sql`${webhookDeliveries.jobId} in (select id from evaluation_runs where question_set_id = ${questionSetId})`,
  );

async function removeDeliveries(ctx: Context, where: ReturnType<typeof sql>): Promise<void> {
  const found = await ctx.db
    .selectDistinct({ id: webhookDeliveries.jobId })
    .from(webhookDeliveries)
    .where(where);
  await Promise.all(found.map(({ id }) => ctx.objects.jobState(id).drop()));
  if (found.length > 0) await ctx.db.delete(webhookDeliveries).where(where);
}
