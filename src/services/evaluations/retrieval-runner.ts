import type { EvaluationResult, EvaluationRun } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { evaluateQuestion, requireTarget } from './evaluate-question.ts';
import { type Runner, TargetMissing } from './runner.ts';
import { summarizeRun } from './summary.ts';

/** Evaluates the questions of a retrieval run. */
export const retrievalRunner: Runner<EvaluationRun, EvaluationResult> = {
  kind: 'retrieval',
  noun: 'question',
  // The number is small, so that jobs in the same queue do not wait long.
  itemsPerMessage: 20,
  timeoutMs: 10 * 60_000,
  getItemId: ({ questionId }) => questionId,
  requireTarget: (ctx, run) =>
    requireTarget(ctx, run).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      throw new TargetMissing(
        `The ${run.pipelineId ? 'pipeline' : 'retriever'} was deleted or is not accessible any more.`,
      );
    }),
  evaluate: (ctx, run, question, hold) => evaluateQuestion(ctx, run, question, hold.signal),
  summarize: (ctx, run) => summarizeRun(ctx, run.id),
};
