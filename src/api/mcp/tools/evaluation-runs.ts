import { z } from 'zod';
import { corpusInput, resolveCorpus } from '#src/api/mcp/corpus.ts';
import type { Fence } from '#src/api/mcp/fence.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { presentRun, runBody } from '#src/api/v1/evaluations/runs.schemas.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { createRun, newRun } from '#src/services/evaluations/new-run.ts';
import { getRun } from '#src/services/evaluations/runs.ts';

/** Evaluation run as the tools return it. */
const evaluation = runBody.pick({
  id: true,
  name: true,
  question_set_id: true,
  question_set_name: true,
  pipeline_id: true,
  retriever_id: true,
  target_name: true,
  status: true,
  error_message: true,
  question_count: true,
  summary: true,
  report: true,
});

/** Describes a run with its measures in a few lines. */
function formatEvaluation(run: z.output<typeof evaluation>, fence: Fence): string {
  const { summary } = run;
  const counts = `${summary?.completed_count ?? 0} of ${run.question_count} questions evaluated, ${summary?.failed_count ?? 0} failed.`;
  const measures = Object.entries(summary?.metrics ?? {}).map(
    ([metric, value]) => `${metric}: ${Number(value.toFixed(4))}`,
  );
  const texts = [
    `${JSON.stringify(run.name)} evaluates ${JSON.stringify(run.target_name)} with ${JSON.stringify(run.question_set_name)}`,
    ...(run.error_message ? [run.error_message] : []),
    ...(run.report ? [run.report.summary] : []),
  ];
  return [`Run ${run.id}: ${run.status}. ${counts}`, fence(texts.join('\n')), ...measures].join('\n');
}

const { retrieval_parameters, answer, name, sample } = newRun.shape;

export const startEvaluation = tool({
  name: 'start_evaluation',
  title: 'Start an evaluation',
  description:
    'Searches a pipeline or retriever with all questions of a question set and measures the results. Returns a run at ' +
    'once. The questions are evaluated afterwards, one after the other: read the measures with get_evaluation.',
  input: corpusInput.extend({
    question_set_id: uuid().describe('Id of a question set, from list_question_sets.'),
    retrieval_parameters,
    answer,
    name,
    sample,
  }),
  output: z.object(evaluation.shape),
  needs: 'write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async handle({ ctx, input, fence }) {
    const corpus = await resolveCorpus(ctx, input);
    const { id } = await createRun(ctx, { ...input, ...corpus });
    const run = evaluation.parse(presentRun(await getRun(ctx, id)));
    return {
      data: run,
      text: `${formatEvaluation(run, fence)}\nThe run goes on: call get_evaluation with run_id ${id}.`,
    };
  },
});

export const getEvaluation = tool({
  name: 'get_evaluation',
  title: 'Read an evaluation',
  description:
    'Returns the state of an evaluation run and the mean of each measure, such as recall@5, mrr and ndcg@10. While the ' +
    'run goes on, the means cover the questions evaluated so far.',
  input: z.object({ run_id: uuid().describe('Id of the run, from start_evaluation.') }),
  output: z.object(evaluation.shape),
  needs: 'read',
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const run = evaluation.parse(presentRun(await getRun(ctx, input.run_id)));
    return { data: run, text: formatEvaluation(run, fence) };
  },
});
