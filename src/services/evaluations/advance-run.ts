import type { Context } from '#src/context/context.ts';
import { hasPendingDeliveries } from '#src/services/webhooks/deliveries.ts';
import { isOpenRun } from './run-state.ts';
import { findRunState, listOpenRuns, type RunState } from './run-tables.ts';
import { removeCopies } from './sweeps/copies.ts';

/** Number of runs of a project that are evaluated at the same time. The others wait for their end. */
const CONCURRENT_RUNS = 2;
/** Interval in milliseconds after which a run is checked again. */
const CHECK_MS = 30_000;

/** `running` has the time at which the run has to be checked again, in milliseconds since 1970. */
export type RunStep = { state: 'absent' } | { state: 'ended' } | { state: 'running'; checkAt: number };

/**
 * Sends a message that continues a run, unless a consumer is evaluating its questions or files. After the end of a
 * scheduled run, its webhook deliveries are announced again in case that their announcement was lost.
 */
export async function advanceRun(ctx: Context, runId: string): Promise<RunStep> {
  const run = await findRunState(ctx, runId);
  // The copies of a sweep are deleted again here in case that its end or deletion was interrupted.
  if (!run || (run.kind === 'sweep' && !isOpenRun(run))) await removeCopies(ctx, runId);
  if (!run) return { state: 'absent' };
  if (!isOpenRun(run)) {
    const hasDeliveries = run.isScheduled && (await hasPendingDeliveries(ctx, runId));
    if (hasDeliveries) await ctx.objects.jobState(runId).notify(runId);
    return { state: 'ended' };
  }
  const now = Date.now();
  const leaseUntil = run.leaseUntil ?? 0;
  if (leaseUntil > now) return { state: 'running', checkAt: leaseUntil + 1 };
  if (!(await mustWait(ctx, run))) {
    await ctx.queues.send({ type: 'evaluate', runId, projectId: run.projectId });
  }
  return { state: 'running', checkAt: now + CHECK_MS };
}

/** Returns whether older runs of the project have to end before the run starts. */
async function mustWait(ctx: Context, { id, projectId }: RunState): Promise<boolean> {
  const open = await listOpenRuns(ctx, projectId);
  return open.findIndex((each) => each.id === id) >= CONCURRENT_RUNS;
}

/** Tells the intake of a project that a run has ended, so that waiting runs start. */
export async function startWaitingRuns(ctx: Context, projectId: string): Promise<void> {
  const open = await listOpenRuns(ctx, projectId);
  const waiting = open.slice(0, CONCURRENT_RUNS).filter(({ status }) => status === 'PENDING');
  const intake = ctx.objects.jobIntake(projectId);
  for (const { id } of waiting) await intake.advanceEvaluation(id);
}
