import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type EvaluationRun, evaluationRuns } from '#src/db/schema/index.ts';
import { LEASE_MS } from '#src/work/lease.ts';

/** SQL condition that a run has not ended. */
export const whereOpenRun = sql`${evaluationRuns.status} in ('PENDING', 'RUNNING')`;

export const isOpenRun = ({ status }: Pick<EvaluationRun, 'status'>): boolean =>
  status === 'PENDING' || status === 'RUNNING';

/** Gives a run to a consumer. Returns `undefined` if the run has ended or another consumer holds it. */
export async function claimRun(
  ctx: Context,
  runId: string,
  consumer: string,
): Promise<EvaluationRun | undefined> {
  const now = Date.now();
  const isFree = sql`(${evaluationRuns.leaseUntil} is null or ${evaluationRuns.leaseUntil} <= ${now})`;
  const [run] = await ctx.db
    .update(evaluationRuns)
    .set({ status: 'RUNNING', consumer, leaseUntil: new Date(now + LEASE_MS) })
    .where(and(eq(evaluationRuns.id, runId), whereOpenRun, isFree))
    .returning();
  return run;
}

/** SQL condition that the consumer holds the run and that the run was not cancelled. */
export const isHeldBy = (runId: string, consumer: string): SQL =>
  sql`${evaluationRuns.id} = ${runId} and ${evaluationRuns.consumer} = ${consumer}
    and ${evaluationRuns.status} = 'RUNNING'`;

/** Renews the lease of a consumer. Returns false if the run was cancelled, deleted or given to another consumer. */
export async function renewRun(ctx: Context, runId: string, consumer: string): Promise<boolean> {
  const renewed = await ctx.db
    .update(evaluationRuns)
    .set({ leaseUntil: new Date(Date.now() + LEASE_MS) })
    .where(isHeldBy(runId, consumer))
    .returning({ id: evaluationRuns.id });
  return renewed.length > 0;
}

/** Ends the lease of a consumer. No other consumer takes the run before the given wait has passed. */
export async function releaseRun(ctx: Context, runId: string, consumer: string, waitMs = 0): Promise<void> {
  const leaseUntil = waitMs > 0 ? new Date(Date.now() + waitMs) : null;
  await ctx.db.update(evaluationRuns).set({ consumer: null, leaseUntil }).where(isHeldBy(runId, consumer));
}
