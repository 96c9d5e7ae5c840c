import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { evaluationRuns } from '#src/db/schema/index.ts';
import { isOpenRun } from './run-state.ts';

/** Interval in milliseconds after which a run is checked again. */
const CHECK_MS = 30_000;

/** `running` has the time at which the run has to be checked again, in milliseconds since 1970. */
export type RunStep = { state: 'absent' } | { state: 'ended' } | { state: 'running'; checkAt: number };

/** Sends a message that continues a run, unless a consumer is evaluating its questions. */
export async function advanceRun(ctx: Context, runId: string): Promise<RunStep> {
  const run = await ctx.db.query.evaluationRuns.findFirst({
    columns: { status: true, leaseUntil: true, projectId: true },
    where: eq(evaluationRuns.id, runId),
  });
  if (!run) return { state: 'absent' };
  if (!isOpenRun(run)) return { state: 'ended' };
  const now = Date.now();
  const leaseUntil = run.leaseUntil?.getTime() ?? 0;
  if (leaseUntil > now) return { state: 'running', checkAt: leaseUntil + 1 };
  await ctx.queues.send({ type: 'evaluate', runId, projectId: run.projectId });
  return { state: 'running', checkAt: now + CHECK_MS };
}
