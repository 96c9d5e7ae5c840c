import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { evaluationRuns } from '#src/db/schema/index.ts';
import { LEASE_MS } from '#src/work/lease.ts';
import { getRunTable, type RunKind } from './run-tables.ts';

export const isOpenRun = ({ status }: { status: string }): boolean =>
  status === 'PENDING' || status === 'RUNNING';

/** SQL condition that a run has not ended. */
export const whereOpenRun = (kind: RunKind): SQL =>
  sql`${getRunTable(kind).status} in ('PENDING', 'RUNNING')`;

/** Gives a run to a consumer. Returns `undefined` if the run has ended or another consumer holds it. */
export async function claimRun<Run>(
  ctx: Context,
  kind: RunKind,
  runId: string,
  consumer: string,
): Promise<Run | undefined> {
  const now = Date.now();
  const runs = getRunTable(kind);
  const isFree = sql`(${runs.leaseUntil} is null or ${runs.leaseUntil} <= ${now})`;
  const [run] = await ctx.db
    .update(runs)
    .set({ status: 'RUNNING', consumer, leaseUntil: new Date(now + LEASE_MS) })
    .where(and(eq(runs.id, runId), whereOpenRun(kind), isFree))
    .returning();
  return run as Run | undefined;
}

/** SQL condition that the consumer holds the run and that the run was not cancelled. */
export function isHeldBy(kind: RunKind, runId: string, consumer: string): SQL {
  const runs = getRunTable(kind);
  return sql`${runs.id} = ${runId} and ${runs.consumer} = ${consumer} and ${runs.status} = 'RUNNING'`;
}

/** Renews the lease of a consumer. Returns false if the run was cancelled, deleted or given to another consumer. */
export async function renewRun(
  ctx: Context,
  kind: RunKind,
  runId: string,
  consumer: string,
): Promise<boolean> {
  const runs = getRunTable(kind);
  const renewed = await ctx.db
    .update(runs)
    .set({ leaseUntil: new Date(Date.now() + LEASE_MS) })
    .where(isHeldBy(kind, runId, consumer))
    .returning({ id: runs.id });
  return renewed.length > 0;
}

/** Ends the lease of a consumer. No other consumer takes the run before the given wait has passed. */
export async function releaseRun(
  ctx: Context,
  kind: RunKind,
  runId: string,
  consumer: string,
  waitMs = 0,
): Promise<void> {
  const leaseUntil = waitMs > 0 ? new Date(Date.now() + waitMs) : null;
  await ctx.db
    .update(getRunTable(kind))
    .set({ consumer: null, leaseUntil })
    .where(isHeldBy(kind, runId, consumer));
}

/** Ends a run of which nothing is left to evaluate, or that cannot be continued because of `errorMessage`. */
export async function finishRun(
  ctx: Context,
  kind: RunKind,
  runId: string,
  consumer: string,
  ending: { summary: { completed: number }; noun: string; errorMessage?: string | undefined },
): Promise<void> {
  const { summary, noun, errorMessage } = ending;
  const hasFailed = errorMessage !== undefined || summary.completed === 0;
  await ctx.db
    .update(getRunTable(kind))
    .set({
      status: hasFailed ? 'FAILED' : 'COMPLETED',
      errorMessage: errorMessage ?? (hasFailed ? `Every ${noun} failed. The results have the errors.` : null),
      summary: summary as typeof evaluationRuns.$inferInsert.summary,
      consumer: null,
      leaseUntil: null,
      finishedAt: new Date(),
    })
    .where(isHeldBy(kind, runId, consumer));
}

/** Cancels a run of any kind. Does nothing if the run has ended. */
export async function stopRun(ctx: Context, kind: RunKind, runId: string): Promise<void> {
  const runs = getRunTable(kind);
  await ctx.db
    .update(runs)
    .set({ status: 'CANCELLED', consumer: null, leaseUntil: null, finishedAt: new Date() })
    .where(and(eq(runs.id, runId), whereOpenRun(kind)));
}

/** Stores the summary of a cancelled run, whose results do not change any more. */
export async function storeFinalSummary(
  ctx: Context,
  kind: RunKind,
  runId: string,
  summary: { completed: number },
): Promise<void> {
  const runs = getRunTable(kind);
  await ctx.db
    .update(runs)
    .set({ summary: summary as typeof evaluationRuns.$inferInsert.summary })
    .where(and(eq(runs.id, runId), eq(runs.status, 'CANCELLED')));
}
