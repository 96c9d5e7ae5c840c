import { z } from 'zod';
import { corpusInput, toCorpusParams } from '#src/api/mcp/corpus.ts';
import { evaluation, formatEvaluation } from '#src/api/mcp/evaluations.ts';
import { tool } from '#src/api/mcp/tool.ts';
import { presentRun } from '#src/api/v1/evaluations/runs.schemas.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { createRun, newRun } from '#src/services/evaluations/new-run.ts';
import { getRun } from '#src/services/evaluations/runs.ts';

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
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async handle({ ctx, input, fence }) {
    toCorpusParams(input);
    const { id } = await createRun(ctx, input);
    const run = evaluation.parse(presentRun(await getRun(ctx, id)));
    return {
      data: run,
      text: `${formatEvaluation(run, fence)}\nThe run goes on: call get_evaluation with run_id ${id}.`,
    };
  },
});
