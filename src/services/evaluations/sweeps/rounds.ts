import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  type EvaluationSweep,
  evaluationSweeps,
  type SweepResult,
  type SweepRound,
  sweepResults,
} from '#src/db/schema/index.ts';
import { type ComparedNames, compareValues } from '#src/evaluation/compare-values.ts';
import { keepBetterHalf } from '#src/evaluation/halving.ts';
import { isLowerBetter } from '#src/evaluation/metrics.ts';
import { isHeldBy } from '../run-state.ts';

/** Candidate with the current settings of the pipeline. */
const CURRENT = 0;
/** Difference between the positions of rounds, which is more than a round has questions and candidates. */
const POSITIONS_PER_ROUND = 10_000_000;

type Half = 'development' | 'held_out';
type Swept = Pick<EvaluationSweep, 'id' | 'questionSetId' | 'createdAt'>;

/**
 * SQL for the questions of one half of a sweep, in the order in which rounds take them. The last digits of the ids are
 * random. Questions without expected results, and those that were changed since, are left out.
 */
const selectHalf = ({ questionSetId, createdAt }: Omit<Swept, 'id'>, half: Half): SQL => sql`
  select id, project_id, position from questions where question_set_id = ${questionSetId}
    and updated_at <= ${createdAt.getTime()} and substr(id, -1) ${half === 'development' ? sql`< '8'` : sql`>= '8'`}
    and json_array_length(expectations, '$.passages') + json_array_length(expectations, '$.pages')
      + json_array_length(expectations, '$.documents') > 0
  order by substr(id, -5, 4), id`;

/** Counts the questions of a half that a sweep can use. */
export async function countHalf(ctx: Context, swept: Omit<Swept, 'id'>, half: Half): Promise<number> {
  const row = await ctx.db.get<{ count: number }>(
    sql`select count(*) as count from (${selectHalf(swept, half)})`,
  );
  return row.count;
}

/**
 * Returns the statement that adds the first `count` questions of a half for each candidate. Questions of an earlier
 * round are not evaluated again. All candidates are evaluated with a question before the next one.
 */
export const insertItems = (
  ctx: Context,
  sweep: Swept,
  { half, count, candidates, round }: { half: Half; count: number; candidates: number[]; round: number },
  condition: SQL,
) =>
  ctx.db
    .insert(sweepResults)
    .select(sql`select ${sweep.id}, question.project_id, candidate.value || ':' || question.id, candidate.value,
      question.id, ${Number(half === 'held_out')}, ${round * POSITIONS_PER_ROUND} + row_number() over
        (order by question.position, question.id, candidate.value), 'pending', 0, null, null
    from (${selectHalf(sweep, half)} limit ${count}) as question
    join json_each(${JSON.stringify(candidates)}) as candidate where ${condition}`)
    .onConflictDoNothing();

/** Returns the number of development questions of a round. */
export const countShare = (share: number, development: number): number => Math.ceil(share * development);

interface Measured {
  candidate: number;
  completed: number;
}

/**
 * Computes the means of the candidates of the present round, over the questions that all of them have completed. A
 * candidate that failed with most questions is left out.
 */
async function measureRound(ctx: Context, sweep: EvaluationSweep): Promise<SweepRound> {
  const counts = await ctx.db.all<Measured & { count: number }>(sql`
    select candidate, count(*) as count, count(*) filter (where status = 'completed') as completed
    from sweep_results where run_id = ${sweep.id} and is_held_out = 0
      and candidate in (select value from json_each(${JSON.stringify(sweep.remaining)})) group by candidate`);
  const usable = counts
    .filter(({ count, completed }) => completed > 0 && completed * 2 >= count)
    .map(({ candidate }) => candidate);
  const rows = await ctx.db.all<{ candidate: number; value: number; count: number }>(sql`
    with completed as (select candidate, question_id, json_extract(metrics, ${`$."${sweep.metric}"`}) as value
      from sweep_results where run_id = ${sweep.id} and is_held_out = 0 and status = 'completed'
        and candidate in (select value from json_each(${JSON.stringify(usable)})))
    select candidate, avg(value) as value, count(*) as count from completed where question_id in (
      select question_id from completed where value is not null group by question_id
      having count(*) = ${usable.length}) group by candidate order by candidate`);
  return {
    question_count: rows[0]?.count ?? 0,
    measured: rows.map(({ candidate, value }) => ({ candidate, value })),
  };
}

/**
 * Ends the present round and adds the questions of the next one. Returns false if the sweep is complete, because the
 * current settings won or the held-out half was evaluated, or because no candidate could be measured.
 */
export async function startNextRound(
  ctx: Context,
  sweep: EvaluationSweep,
  consumer: string,
): Promise<boolean> {
  if (sweep.phase === 'held_out') return false;
  const round = await measureRound(ctx, sweep);
  if (round.measured.length === 0) return false;
  const rounds = [...sweep.rounds, round];
  const better = keepBetterHalf(round.measured, isLowerBetter(sweep.metric));
  const isLast = rounds.length === sweep.shares.length;
  const remaining = isLast ? better.slice(0, 1) : better;
  const isComplete = isLast && remaining[0] === CURRENT;
  const isHeld = isHeldBy('sweep', sweep.id, consumer);
  const update = ctx.db
    .update(evaluationSweeps)
    .set({ rounds, remaining, ...(isLast && !isComplete && { phase: 'held_out' as const }) })
    .where(isHeld);
  if (isComplete) {
    await update;
    return false;
  }
  const half = isLast ? 'held_out' : 'development';
  const size = await countHalf(ctx, sweep, half);
  const next = {
    half,
    count: isLast ? size : countShare(sweep.shares[rounds.length]!, size),
    candidates: isLast ? [CURRENT, ...remaining] : remaining,
    round: rounds.length,
  } as const;
  const condition = sql`exists (select 1 from evaluation_sweeps where ${isHeld})`;
  await ctx.db.batch([insertItems(ctx, sweep, next, condition), update]);
  return true;
}

/** Returns the result of a sweep whose rounds have ended. Returns `undefined` if nothing could be measured. */
export async function computeResult(ctx: Context, sweep: EvaluationSweep): Promise<SweepResult | undefined> {
  const [best] = sweep.remaining;
  if (best === undefined || sweep.rounds.length < sweep.shares.length) return undefined;
  if (best === CURRENT) return { candidate: best, comparison: null };
  const value = (name: string) => sql`json_extract(${sql.raw(name)}.metrics, ${`$."${sweep.metric}"`})`;
  const pairs = await ctx.db.all<{ first: number; second: number }>(sql`
    select ${value('first')} as first, ${value('second')} as second from sweep_results as first
    join sweep_results as second on second.run_id = first.run_id and second.question_id = first.question_id
      and second.candidate = ${best} and second.is_held_out = 1
    where first.run_id = ${sweep.id} and first.candidate = ${CURRENT} and first.is_held_out = 1
      and ${value('first')} is not null and ${value('second')} is not null order by first.position`);
  if (pairs.length === 0) return undefined;
  const names: ComparedNames = { first: 'the current settings', second: `“${sweep.candidates[best]!.name}”` };
  const found = compareValues(sweep.metric, pairs, names);
  const { difference, verdict, summary, improved, worsened, unchanged } = found;
  return {
    candidate: best,
    comparison: {
      ...{ verdict, summary, improved, worsened, unchanged },
      compared: pairs.length,
      mean: found.secondMean,
      baseline_mean: found.firstMean,
      difference: difference.mean,
      confidence_interval: { low: difference.low, high: difference.high },
    },
  };
}

/** Returns a sweep with its present state. Returns `undefined` if the consumer no longer holds the sweep. */
export async function findHeldSweep(
  ctx: Context,
  id: string,
  consumer: string,
): Promise<EvaluationSweep | undefined> {
  const [sweep] = await ctx.db
    .select()
    .from(evaluationSweeps)
    .where(isHeldBy('sweep', id, consumer));
  return sweep;
}
