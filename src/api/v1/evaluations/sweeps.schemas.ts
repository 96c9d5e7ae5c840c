import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { SWEEP_PHASES } from '#src/db/schema/index.ts';
import { SWEEP_METRICS, type SweepMetric } from '#src/services/evaluations/sweeps/input.ts';
import type { ShownSweep } from '#src/services/evaluations/sweeps/sweeps.ts';

const settings = {
  name: z.string().describe('The settings in words.'),
  retrieval_parameters: z
    .object({
      alpha: z.number().nullish(),
      enable_reranking: z.boolean().nullish(),
      dense_similarity_top_k: z.int().nullish(),
      sparse_similarity_top_k: z.int().nullish(),
    })
    .describe('Parameters of the search that differ from those of the pipeline.'),
  chunk_size: z.int().nullish().describe('Null if the chunks are those of the pipeline.'),
  embedding_model_config_id: z
    .string()
    .nullish()
    .describe('Null if the embeddings are those of the pipeline.'),
};

const comparison = z.object({
  compared_count: z.int().describe('Number of questions of the held-out half that both settings have.'),
  mean: z.number(),
  baseline_mean: z.number().describe('Mean of the current settings.'),
  difference: z.number(),
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
});

export const sweepBody = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    name: z.string(),
    question_set_id: z.uuid(),
    question_set_name: z.string(),
    question_set_version: z.int(),
    pipeline_id: z.uuid(),
    target_name: z.string().describe('Name that the pipeline had when the sweep was created.'),
    metric: z.enum(SWEEP_METRICS),
    budget: z.int().describe('Maximum number of searches.'),
    status: z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED']),
    error_message: z.string().nullish(),
    user_id: z.string(),
    phase: z
      .enum(SWEEP_PHASES)
      .describe(
        '`indexing` while copies of the pipeline are indexed, `development` while settings are chosen, and `held_out` ' +
          'while the best ones are compared with the current ones.',
      ),
    candidate_count: z.int().describe('Number of settings, including the current ones.'),
    round_count: z.int().describe('Number of planned rounds.'),
    evaluated_count: z.int().describe('Number of searches so far.'),
    failed_count: z.int().describe('Number of these that failed.'),
    pending_count: z.int().describe('Number of searches that are left in the present round.'),
    rounds: z
      .array(
        z.object({
          question_count: z.int().describe('Number of development questions that all settings have.'),
          settings: z
            .array(z.object({ ...settings, value: z.number().describe('Mean of the measure.') }))
            .describe('Best first.'),
        }),
      )
      .describe('Rounds that have ended. Each keeps the better half of its settings.'),
    result: z
      .object({
        ...settings,
        is_current: z.boolean().describe('Whether the current settings won on the development half.'),
        comparison: comparison
          .nullish()
          .describe('Comparison with the current settings on the held-out half. Null if these won.'),
      })
      .nullish()
      .describe('Null until the sweep has completed.'),
    created_at: timestamp,
    updated_at: timestamp,
    finished_at: timestamp.nullish(),
  })
  .meta({ id: 'EvaluationSweep' });

type Body = z.input<typeof sweepBody>;

export function presentSweep(row: ShownSweep): Body {
  return {
    id: row.id,
    project_id: row.projectId,
    name: row.name,
    question_set_id: row.questionSetId,
    question_set_name: row.questionSetName,
    question_set_version: row.questionSetVersion,
    pipeline_id: row.pipelineId,
    target_name: row.targetName,
    metric: row.metric as SweepMetric,
    budget: row.budget,
    status: row.status,
    error_message: row.errorMessage,
    user_id: row.userId,
    phase: row.phase,
    candidate_count: row.candidates.length,
    round_count: row.shares.length,
    evaluated_count: row.evaluatedCount,
    failed_count: row.failedCount,
    pending_count: row.pendingCount,
    rounds: row.rounds.map(({ question_count, measured }) => ({
      question_count,
      settings: sortByValue(row, measured).map(({ candidate, value }) => ({
        ...presentSettings(row, candidate),
        value,
      })),
    })),
    result: presentResult(row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

const sortByValue = ({ metric }: ShownSweep, measured: ShownSweep['rounds'][number]['measured']) =>
  measured.toSorted((a, b) => (metric === 'latency_ms' ? a.value - b.value : b.value - a.value));

function presentSettings({ candidates, variants }: ShownSweep, index: number) {
  const { name, parameters, variant } = candidates[index]!;
  const { chunk_size = null, embedding_model_config_id = null } = variant === null ? {} : variants[variant]!;
  return { name, retrieval_parameters: parameters, chunk_size, embedding_model_config_id };
}

function presentResult(row: ShownSweep): Body['result'] {
  if (!row.result) return null;
  const { candidate, comparison: found } = row.result;
  return {
    ...presentSettings(row, candidate),
    is_current: candidate === 0,
    comparison: found && {
      compared_count: found.compared,
      mean: found.mean,
      baseline_mean: found.baseline_mean,
      difference: found.difference,
      confidence_interval: found.confidence_interval,
      verdict: found.verdict,
      summary: found.summary,
      improved_count: found.improved,
      worsened_count: found.worsened,
      unchanged_count: found.unchanged,
    },
  };
}
