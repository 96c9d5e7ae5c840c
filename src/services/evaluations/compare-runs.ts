import { sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { parsePageToken } from '#src/db/paging.ts';
import { compareValues, type ValueComparison } from '#src/evaluation/compare-values.ts';
import { isLowerBetter, type Metric } from '#src/evaluation/metrics.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { NotFound } from '#src/lib/errors.ts';
import { nameRuns } from './name-runs.ts';
import { getRun, type ShownRun } from './runs.ts';

const DEFAULT_CHANGES = 50;
/** Differences below this are rounding errors. */
const EPSILON = 1e-9;

export interface ChangedQuestion {
  question_id: string;
  text: string;
  baseline_value: number;
  value: number;
  change: 'improved' | 'worsened';
}

export interface RunComparison extends ValueComparison {
  run: ShownRun;
  baseline: ShownRun;
  compared: number;
  /** Number of questions that both runs have, but with another text or other expectations. */
  edited: number;
  changes: ChangedQuestion[];
  nextPageToken: string | null;
}

interface Pair {
  questionId: string;
  first: number;
  second: number;
}

/**
 * Compares a run with a baseline run by the questions that both have evaluated. Questions whose text or
 * expectations differ between the runs are left out.
 */
export async function compareRuns(
  ctx: TenantContext,
  runId: string,
  query: {
    with: string;
    metric: Metric;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<RunComparison> {
  const [after = 0] = parsePageToken(query.page_token, ['number']) ?? [];
  const [run, baseline] = await Promise.all([getRun(ctx, runId), getRun(ctx, query.with)]);
  if (run.projectId !== baseline.projectId) throw new NotFound('Evaluation run', query.with);
  const { pairs, edited } = await readPairs(ctx, baseline.id, run.id, query.metric);
  const names = nameRuns(baseline, run);
  const changed = pairs
    .filter(({ first, second }) => Math.abs(second - first) > EPSILON)
    .sort(compareChanges);
  const size = query.page_size ?? DEFAULT_CHANGES;
  const page = changed.slice(after, after + size);
  return {
    ...compareValues(query.metric, pairs, names),
    run,
    baseline,
    compared: pairs.length,
    edited,
    changes: await describeChanges(ctx, run.id, query.metric, page),
    nextPageToken: after + size < changed.length ? encodeCursor([after + size]) : null,
  };
}

/** Largest changes first. */
function compareChanges(a: Pair, b: Pair): number {
  const difference = Math.abs(b.second - b.first) - Math.abs(a.second - a.first);
  return difference || (a.questionId < b.questionId ? -1 : 1);
}

/** Reads the values of a measure for the questions that both runs have evaluated. Edited questions are counted. */
export async function readPairs(ctx: Context, firstId: string, secondId: string, metric: Metric) {
  const value = (name: string) => sql`json_extract(${sql.raw(name)}.metrics, ${`$."${metric}"`})`;
  const rows = await ctx.db.all<Pair & { isSame: number }>(sql`
    select second.question_id as questionId, ${value('first')} as first, ${value('second')} as second,
      first.text = second.text and first.expectations = second.expectations
        and first.expected_answer is second.expected_answer
        and first.expects_refusal = second.expects_refusal as isSame
    from evaluation_results as second
    join evaluation_results as first on first.run_id = ${firstId} and first.question_id = second.question_id
    where second.run_id = ${secondId} and ${value('first')} is not null and ${value('second')} is not null
    order by second.position`);
  const pairs = rows.filter(({ isSame }) => isSame === 1);
  return { pairs, edited: rows.length - pairs.length };
}

async function describeChanges(
  ctx: TenantContext,
  runId: string,
  metric: Metric,
  pairs: readonly Pair[],
): Promise<ChangedQuestion[]> {
  const ids = JSON.stringify(pairs.map(({ questionId }) => questionId));
  const rows = await ctx.db.all<{ questionId: string; text: string }>(sql`
    select question_id as questionId, text from evaluation_results as result
    where run_id = ${runId} and question_id in (select value from json_each(${ids}))`);
  const texts = new Map(rows.map(({ questionId, text }) => [questionId, text]));
  return pairs.map(({ questionId, first, second }) => ({
    question_id: questionId,
    text: texts.get(questionId) ?? '',
    baseline_value: first,
    value: second,
    change: second > first !== isLowerBetter(metric) ? ('improved' as const) : ('worsened' as const),
  }));
}
