import { z } from 'zod';
import { evaluation, formatEvaluation } from '#src/api/mcp/evaluations.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { presentRun } from '#src/api/v1/evaluations/runs.schemas.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { getRun } from '#src/services/evaluations/runs.ts';

export const getEvaluation = tool({
  name: 'get_evaluation',
  title: 'Read an evaluation',
  description:
    'Returns the state of an evaluation run and the mean of each measure, such as recall@5, mrr and ndcg@10. While the ' +
    'run goes on, the means cover the questions evaluated so far.',
  input: z.object({ run_id: uuid().describe('Id of the run, from start_evaluation.') }),
  output: z.object(evaluation.shape),
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const run = evaluation.parse(presentRun(await getRun(ctx, input.run_id)));
    return { data: run, text: formatEvaluation(run, fence) };
  },
});
