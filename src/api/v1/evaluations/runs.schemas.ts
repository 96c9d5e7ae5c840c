import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import type { RunSummary } from '#src/db/schema/index.ts';
import { METRICS } from '#src/evaluation/metrics.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import type { RunComparison } from '#src/services/evaluations/compare-runs.ts';
import { questionSample } from '#src/services/evaluations/new-run.ts';
import type { ShownResult, ShownRun } from '#src/services/evaluations/runs.ts';
import type { Group } from '#src/services/evaluations/summary.ts';
import { expectationFields, presentExpectations } from './question-sets.schemas.ts';

const metrics = z
  .record(z.string(), z.number())
  .describe(
    'Mean of each measure over the questions that have it: `hit@k` and `recall@k` (k: 1, 3, 5, 10), `mrr`, ' +
      '`ndcg@10` and `latency_ms`. With answers also `said`, `cited`, `refused_correctly` and `answer_latency_ms`.',
  );
const summaryFields = {
  completed_count: z.int().describe('Number of questions that were evaluated.'),
  failed_count: z.int().describe('Number of questions whose evaluation failed.'),
  scored_count: z
    .int()
    .describe('Number of evaluated questions that expect results. Ranking measures are averaged over them.'),
  metrics,
};

const presentSummary = (summary: RunSummary) => ({
  completed_count: summary.completed,
  failed_count: summary.failed,
  scored_count: summary.scored,
  metrics: summary.metrics,
});

const runReport = z.object({
  is_regression: z
    .boolean()
    .describe('Whether a limit is missed, or the run is clearly worse than the previous scheduled run.'),
  missed: z.array(
    z.object({
      metric: z.string(),
      bound: z.enum(['at_least', 'at_most']),
      limit: z.number(),
      value: z.number().nullish().describe('Null if no question has the measure.'),
    }),
  ),
  comparison: z
    .object({
      baseline_run_id: z.uuid(),
      metric: z.string(),
      verdict: z.enum(['better', 'worse', 'no_clear_difference']),
      difference: z.number(),
      confidence_interval: z.object({ low: z.number(), high: z.number() }),
      summary: z.string(),
    })
    .nullish()
    .describe('Comparison with the previous scheduled run of the same pipeline or retriever.'),
  summary: z.string().describe('The assessment in sentences.'),
});

export const runBody = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    name: z.string(),
    question_set_id: z.uuid(),
    question_set_name: z.string(),
    question_set_version: z.int().describe('Version of the set whose questions the run evaluates.'),
    pipeline_id: z.uuid().nullish(),
    retriever_id: z.uuid().nullish(),
    target_name: z.string().describe('Name that the pipeline or retriever had when the run was created.'),
    retrieval_parameters: presetRetrievalParameters,
    answer: z.boolean(),
    status: z
      .enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
      .describe('`COMPLETED` if at least one question was evaluated. `FAILED` if none was.'),
    error_message: z.string().nullish(),
    user_id: z.string(),
    question_count: z.int(),
    sample: questionSample.nullish(),
    summary: z
      .object(summaryFields)
      .nullish()
      .describe('Means of the run. Null in lists while the run has not ended.'),
    is_scheduled: z.boolean().describe('Whether the schedule of the question set started the run.'),
    report: runReport
      .nullish()
      .describe(
        'Assessment by the limits of the schedule. Null if the run was not scheduled or has not ended.',
      ),
    created_at: timestamp,
    updated_at: timestamp,
    finished_at: timestamp.nullish(),
  })
  .meta({ id: 'EvaluationRun' });

export const presentRun = (row: ShownRun): z.input<typeof runBody> => ({
  id: row.id,
  project_id: row.projectId,
  name: row.name,
  question_set_id: row.questionSetId,
  question_set_name: row.questionSetName,
  question_set_version: row.questionSetVersion,
  pipeline_id: row.pipelineId,
  retriever_id: row.retrieverId,
  target_name: row.targetName,
  retrieval_parameters: presetRetrievalParameters.parse(row.parameters),
  answer: row.hasAnswers,
  status: row.status,
  error_message: row.errorMessage,
  user_id: row.userId,
  question_count: row.questionCount,
  sample: row.sample,
  summary: row.summary && presentSummary(row.summary),
  is_scheduled: row.isScheduled,
  report: row.report,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});

export const resultBody = z
  .object({
    question_id: z.string().describe('Id of the question, which may have been changed or deleted since.'),
    position: z.int().describe('Position of the question in the run, counted from 1.'),
    text: z.string(),
    tags: z.array(z.string()),
    ...expectationFields,
    status: z.enum(['pending', 'completed', 'failed']),
    error_message: z.string().nullish(),
    metrics: z
      .record(z.string(), z.number())
      .nullish()
      .describe('Measures of the question. Ranking measures are absent if the question expects no results.'),
    retrieved: z
      .array(
        z.object({
          chunk_id: z.string(),
          document_id: z.string(),
          title: z.string().describe('Empty if the document was deleted since.'),
          page: z.int().nullish().describe('First page of the chunk, counted from 1.'),
          score: z.number(),
          relevance: z.int().describe('Grade of the best expectation that the chunk meets, or 0.'),
        }),
      )
      .nullish()
      .describe('The first 20 results of the search, best first.'),
    answer: z
      .object({
        text: z
          .string()
          .nullable()
          .describe(
            'Null if one of the retrieved documents was deleted since, because the answer may quote it.',
          ),
        said: z.boolean().nullish().describe('Whether the answer has the content of `expected_answer`.'),
        cited: z.boolean().nullish().describe('Whether a citation points to an expected result.'),
        refused: z.boolean().describe('Whether the answer cites nothing.'),
        latency_ms: z.number(),
        input_tokens: z.int().nullish(),
        output_tokens: z.int().nullish(),
      })
      .nullish(),
  })
  .meta({ id: 'EvaluationResult' });

export const presentResult = (row: ShownResult): z.input<typeof resultBody> => ({
  question_id: row.questionId,
  position: row.position,
  text: row.text,
  tags: row.tags,
  ...presentExpectations(row),
  status: row.status,
  error_message: row.errorMessage,
  metrics: row.metrics,
  retrieved: row.retrieved,
  answer: row.answer,
});

export const breakdownBody = z
  .object({
    groups: z
      .array(
        z.object({
          key: z.string().describe('Tag, or id of the expected document.'),
          name: z.string().nullish().describe('Name of the file, for documents that are files.'),
          ...summaryFields,
        }),
      )
      .describe('At most 500 groups. Groups with more questions come first.'),
  })
  .meta({ id: 'EvaluationBreakdown' });

export const presentGroup = ({ key, name, ...summary }: Group) => ({ key, name, ...presentSummary(summary) });

export const comparisonBody = z
  .object({
    run_id: z.uuid(),
    baseline_run_id: z.uuid(),
    metric: z.enum(METRICS),
    compared_count: z.int().describe('Number of questions that both runs have evaluated.'),
    edited_count: z
      .int()
      .describe('Number of questions that are left out, because they were edited between the runs.'),
    mean: z.number(),
    baseline_mean: z.number(),
    difference: z.number().describe('Mean of the run minus mean of the baseline.'),
    confidence_interval: z
      .object({ low: z.number(), high: z.number() })
      .describe('95 % confidence interval of the difference, from a paired bootstrap over the questions.'),
    verdict: z
      .enum(['better', 'worse', 'no_clear_difference'])
      .describe('`no_clear_difference` if the confidence interval contains 0.'),
    summary: z.string().describe('The result in a sentence.'),
    improved_count: z.int(),
    worsened_count: z.int(),
    unchanged_count: z.int(),
    changes: z
      .array(
        z.object({
          question_id: z.string(),
          text: z.string(),
          baseline_value: z.number(),
          value: z.number(),
          change: z.enum(['improved', 'worsened']),
        }),
      )
      .describe('One page of the questions that changed, largest change first.'),
    next_page_token: z.string().nullish(),
  })
  .meta({ id: 'EvaluationComparison' });

export const presentComparison = (
  metric: (typeof METRICS)[number],
  found: RunComparison,
): z.input<typeof comparisonBody> => ({
  run_id: found.run.id,
  baseline_run_id: found.baseline.id,
  metric,
  compared_count: found.compared,
  edited_count: found.edited,
  mean: found.secondMean,
  baseline_mean: found.firstMean,
  difference: found.difference.mean,
  confidence_interval: { low: found.difference.low, high: found.difference.high },
  verdict: found.verdict,
  summary: found.summary,
  improved_count: found.improved,
  worsened_count: found.worsened,
  unchanged_count: found.unchanged,
  changes: found.changes,
  next_page_token: found.nextPageToken,
});
