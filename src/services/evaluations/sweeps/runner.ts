import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type EvaluationSweep, evaluationSweeps, questions, type SweepItem } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { getTarget } from '#src/retrieval/retrieval.ts';
import { asCaller, measureSearch } from '../measure-search.ts';
import { isHeldBy } from '../run-state.ts';
import { type Runner, TargetMissing } from '../runner.ts';
import { getCopyId, prepareCopies, removeCopies } from './copies.ts';
import { computeResult, findHeldSweep, startNextRound } from './rounds.ts';

const NOTHING_MEASURED =
  'No settings could be measured, because most searches failed or the questions were changed.';

/** Evaluates the questions of a sweep, round by round. */
export const sweepRunner: Runner<EvaluationSweep, SweepItem> = {
  kind: 'sweep',
  noun: 'question',
  // The number is small, so that jobs in the same queue do not wait long.
  itemsPerMessage: 20,
  timeoutMs: 10 * 60_000,
  getItemId: ({ itemId }) => itemId,
  requireTarget,
  async prepare(ctx, sweep, hold) {
    if (sweep.phase !== 'indexing') return true;
    if (!(await prepareCopies(ctx, sweep, hold))) return false;
    await ctx.db
      .update(evaluationSweeps)
      .set({ phase: 'development' })
      .where(isHeldBy('sweep', sweep.id, hold.consumer));
    return true;
  },
  evaluate: (ctx, sweep, item) => evaluateItem(ctx, sweep, item),
  async continue(ctx, { id }, consumer) {
    const sweep = await findHeldSweep(ctx, id, consumer);
    return sweep !== undefined && (await startNextRound(ctx, sweep, consumer));
  },
  finish: finishSweep,
};

async function requireTarget(ctx: Context, sweep: EvaluationSweep): Promise<void> {
  try {
    const { pipeline } = await getTarget(asCaller(ctx, sweep), sweep.pipelineId);
    if (pipeline.status !== 'DELETING') return;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
  throw new TargetMissing('The pipeline was deleted or is not accessible any more.');
}

async function evaluateItem(
  ctx: Context,
  sweep: EvaluationSweep,
  { candidate: index, questionId }: SweepItem,
): Promise<Pick<SweepItem, 'metrics'>> {
  const question = await ctx.db.query.questions.findFirst({
    where: and(eq(questions.id, questionId), eq(questions.questionSetId, sweep.questionSetId)),
  });
  if (!question || question.updatedAt > sweep.createdAt)
    throw new Conflict('The question was changed or deleted after the sweep had begun.');
  const { variant, parameters } = sweep.candidates[index]!;
  const pipelineId = variant === null ? sweep.pipelineId : await getCopyId(sweep, variant);
  const searched = { projectId: sweep.projectId, pipelineId, retrieverId: null, parameters };
  const { metrics } = await measureSearch(asCaller(ctx, sweep), searched, question);
  return { metrics };
}

async function finishSweep(
  ctx: Context,
  { id }: EvaluationSweep,
  consumer: string,
  errorMessage?: string,
): Promise<void> {
  const sweep = await findHeldSweep(ctx, id, consumer);
  if (!sweep) return;
  const result = errorMessage === undefined ? await computeResult(ctx, sweep) : undefined;
  await ctx.db
    .update(evaluationSweeps)
    .set({
      status: result ? 'COMPLETED' : 'FAILED',
      errorMessage: result ? null : (errorMessage ?? NOTHING_MEASURED),
      result: result ?? null,
      consumer: null,
      leaseUntil: null,
      finishedAt: new Date(),
    })
    .where(isHeldBy('sweep', id, consumer));
  await removeCopies(ctx, id);
}
