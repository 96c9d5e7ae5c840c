import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { goOn, pageInput } from '#src/api/mcp/page.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { comparisonBody, presentComparison } from '#src/api/v1/evaluations/runs.schemas.ts';
import { METRICS } from '#src/evaluation/metrics.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { compareRuns } from '#src/services/evaluations/compare-runs.ts';

const DEFAULT_METRIC = 'ndcg@10';

export const compareEvaluations = tool({
  name: 'compare_evaluations',
  title: 'Compare two evaluations',
  description:
    'Compares an evaluation run with a baseline run by the questions that both have evaluated. Returns the difference ' +
    'with its 95 % confidence interval, a sentence, and the questions that improved or got worse, largest change first.',
  input: pageInput.extend({
    run_id: uuid().describe('Id of the run to compare.'),
    baseline_run_id: uuid().describe('Id of the run that it is compared with.'),
    metric: z.enum(METRICS).nullish().describe(`Measure to compare. Default: ${DEFAULT_METRIC}.`),
  }),
  output: z.object(comparisonBody.shape),
  needs: 'read',
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const { run_id, baseline_run_id, ...page } = input;
    const metric = input.metric ?? DEFAULT_METRIC;
    const compared = await compareRuns(ctx, run_id, { ...page, with: baseline_run_id, metric });
    const data = comparisonBody.parse(presentComparison(metric, compared));
    const lines = data.changes.map(
      ({ change, baseline_value, value, text }) =>
        `- ${change} from ${baseline_value} to ${value}: ${JSON.stringify(text)}`,
    );
    const { text } = new Budget().take([data.summary, ...lines].join('\n'));
    const head = `${data.verdict}: ${data.compared_count} questions compared.`;
    return { data, text: `${head}\n${fence(text)}${goOn(data.next_page_token)}` };
  },
});
