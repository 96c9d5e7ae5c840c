import { and, asc, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type EvaluationRun, evaluationRuns } from '#src/db/schema/index.ts';
import { hasPendingDeliveries } from '#src/services/webhooks/deliveries.ts';
import { isOpenRun, whereOpenRun } from './run-state.ts';

/** Number of runs of a project that are evaluated at the same time. The others wait for their end. */
const CONCURRENT_RUNS = 2;
/** Interval in milliseconds after which a run is checked again. */
const CHECK_MS = 30_000;

/** `running` has the time at which the run has to be checked again, in milliseconds since 1970. */
export type RunStep = { state: 'absent' } | { state: 'ended' } | { state: 'running'; checkAt: number };

/**
 * Sends a message that continues a run, unless a consumer is evaluating its questions. After the end of a run, its
 * webhook deliveries are announced again in case that their announcement was lost.
 */
export async function advanceRun(ctx: Context, runId: string): Promise<RunStep> {
  const run = await ctx.db.query.evaluationRuns.findFirst({
    columns: { id: true, status: true, leaseUntil: true, projectId: true, createdAt: true, limits: true },
    where: eq(evaluationRuns.id, runId),
  });
  if (!run) return { state: 'absent' };
  if (!isOpenRun(run)) {
    const hasDeliveries = run.limits && (await hasPendingDeliveries(ctx, runId));
    if (hasDeliveries) await ctx.objects.jobState(runId).notify(runId);
    return { state: 'ended' };
  }
  const now = Date.now();
  const leaseUntil = run.leaseUntil?.getTime() ?? 0;
  if (leaseUntil > now) return { state: 'running', checkAt: leaseUntil + 1 };
  if (!(await mustWait(ctx, run))) {
    await ctx.queues.send({ type: 'evaluate', runId, projectId: run.projectId });
  }
  return { state: 'running', checkAt: now + CHECK_MS };
}

/** Returns whether older runs of the project have to end before the run starts. */
async function mustWait(
  ctx: Context,
  { id, projectId, createdAt }: Pick<EvaluationRun, 'id' | 'projectId' | 'createdAt'>,
): Promise<boolean> {
  const isOlder = sql`(${evaluationRuns.createdAt}, ${evaluationRuns.id}) < (${createdAt.getTime()}, ${id})`;
  const where = and(eq(evaluationRuns.projectId, projectId), whereOpenRun, isOlder);
  return (await ctx.db.$count(evaluationRuns, where)) >= CONCURRENT_RUNS;
}

/** Tells the intake of a project that a run has ended, so that waiting runs start. */
export async function startWaitingRuns(ctx: Context, projectId: string): Promise<void> {
  const waiting = await ctx.db.query.evaluationRuns.findMany({
    columns: { id: true },
    where: and(eq(evaluationRuns.projectId, projectId), eq(evaluationRuns.status, 'PENDING')),
    orderBy: [asc(evaluationRuns.createdAt), asc(evaluationRuns.id)],
    limit: CONCURRENT_RUNS,
  });
  const intake = ctx.objects.jobIntake(projectId);
  for (const { id } of waiting) await intake.advanceEvaluation(id);
}
