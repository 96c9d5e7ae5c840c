import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { buildConditionalInsert } from '#src/db/conditional-insert.ts';
import {
  type EvaluationRun,
  evaluationRuns,
  questionSets,
  type RunReport,
  type RunSummary,
} from '#src/db/schema/index.ts';
import { isHeldBy } from './run-state.ts';
import { buildRunDeliveries } from './schedules/deliveries.ts';
import { buildReport, describeFailure } from './schedules/report.ts';
import { summarizeRun } from './summary.ts';

const ALL_FAILED = 'Every question failed. The results have the errors.';

/**
 * Ends a run whose questions were all evaluated, or that cannot be continued because of `errorMessage`. The webhook
 * deliveries of a scheduled run are stored in the same transaction.
 */
export async function finishRetrievalRun(
  ctx: Context,
  run: EvaluationRun,
  consumer: string,
  errorMessage?: string,
): Promise<void> {
  const summary = await summarizeRun(ctx, run.id);
  const failure = errorMessage ?? (summary.completed === 0 ? ALL_FAILED : null);
  const finishedAt = new Date();
  const ended = {
    status: failure === null ? ('COMPLETED' as const) : ('FAILED' as const),
    errorMessage: failure,
    summary,
    report: await assessRun(ctx, run, summary, failure),
    finishedAt,
  };
  const set = run.limits
    ? await ctx.db.query.questionSets.findFirst({ where: eq(questionSets.id, run.questionSetId) })
    : undefined;
  const deliveries = await buildRunDeliveries(ctx, { ...run, ...ended }, set?.name ?? '', finishedAt);
  const update = ctx.db
    .update(evaluationRuns)
    .set({ ...ended, consumer: null, leaseUntil: null })
    .where(isHeldBy('retrieval', run.id, consumer));
  await ctx.db.batch([update, ...deliveries.map((row) => buildConditionalInsert(ctx, row))]);
  if (deliveries.length > 0) await ctx.objects.jobState(run.id).notify(run.id);
}

/** Returns null if the run was not scheduled. */
async function assessRun(
  ctx: Context,
  { limits, ...run }: EvaluationRun,
  summary: RunSummary,
  failure: string | null,
): Promise<RunReport | null> {
  if (!limits) return null;
  return failure === null ? buildReport(ctx, { ...run, limits }, summary) : describeFailure(failure);
}
