import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  type EvaluationRun,
  evaluationRuns,
  type RunLimits,
  type RunReport,
  type RunSummary,
} from '#src/db/schema/index.ts';
import { compareValues } from '#src/evaluation/compare-values.ts';
import { METRICS, type Metric } from '#src/evaluation/metrics.ts';
import { readPairs } from '../compare-runs.ts';
import { nameRuns } from '../name-runs.ts';

/** Returns the report of a scheduled run that could not be started, or that evaluated no question. */
export const describeFailure = (message: string): RunReport => ({
  is_regression: false,
  missed: [],
  comparison: null,
  summary: `The run failed: ${message}`,
});

/**
 * Assesses a scheduled run whose questions were evaluated. It is a regression if a mean misses its limit, or if the run
 * is clearly worse than the previous scheduled run of the same pipeline or retriever.
 */
export async function buildReport(
  ctx: Context,
  run: EvaluationRun & { limits: RunLimits },
  summary: RunSummary,
): Promise<RunReport> {
  const missed = findMissedLimits(run.limits, summary);
  const comparison = await compareWithPrevious(ctx, run);
  const isWorse = comparison?.verdict === 'worse';
  const sentences = [
    ...missed.map(describeMissed),
    ...(isWorse || (comparison && missed.length === 0) ? [comparison.summary] : []),
  ];
  return {
    is_regression: missed.length > 0 || isWorse,
    missed,
    comparison,
    summary: sentences.join(' ') || 'All limits are met.',
  };
}

/** Lists the limits that the means of a run do not meet. A measure that no question has meets no limit. */
export function findMissedLimits(limits: RunLimits, { metrics }: RunSummary): RunReport['missed'] {
  return (['at_least', 'at_most'] as const).flatMap((bound) =>
    Object.entries(limits[bound]).flatMap(([metric, limit]) => {
      const value = metrics[metric] ?? null;
      const isMet = value !== null && (bound === 'at_least' ? value >= limit : value <= limit);
      return isMet ? [] : [{ metric, bound, limit, value }];
    }),
  );
}

function describeMissed({ metric, bound, limit, value }: RunReport['missed'][number]): string {
  if (value === null) return `No question has the measure ${metric}.`;
  const shown = Number(value.toFixed(4));
  return `${metric} is ${shown}, ${bound === 'at_least' ? 'below the least value' : 'above the highest value'} ${limit}.`;
}

async function compareWithPrevious(
  ctx: Context,
  run: EvaluationRun & { limits: RunLimits },
): Promise<RunReport['comparison']> {
  const baseline = await ctx.db.query.evaluationRuns.findFirst({
    where: and(
      eq(evaluationRuns.questionSetId, run.questionSetId),
      eq(evaluationRuns.isScheduled, true),
      eq(evaluationRuns.status, 'COMPLETED'),
      run.pipelineId ? eq(evaluationRuns.pipelineId, run.pipelineId) : isNull(evaluationRuns.pipelineId),
      run.retrieverId ? eq(evaluationRuns.retrieverId, run.retrieverId) : isNull(evaluationRuns.retrieverId),
      lt(evaluationRuns.createdAt, run.createdAt),
    ),
    orderBy: [desc(evaluationRuns.createdAt), desc(evaluationRuns.id)],
  });
  const metric = METRICS.find((each) => each === run.limits.metric);
  if (!baseline || !metric) return null;
  return compare(ctx, metric, baseline, run);
}

async function compare(
  ctx: Context,
  metric: Metric,
  baseline: EvaluationRun,
  run: EvaluationRun,
): Promise<RunReport['comparison']> {
  const { pairs } = await readPairs(ctx, baseline.id, run.id, metric);
  const { verdict, difference, summary } = compareValues(metric, pairs, nameRuns(baseline, run));
  const { mean, low, high } = difference;
  const common = { baseline_run_id: baseline.id, metric, verdict, summary };
  return { ...common, difference: mean, confidence_interval: { low, high } };
}
