import { z } from 'zod';
import { isLowerBetter, METRICS, type Metric } from '#src/evaluation/metrics.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { requireOneTarget } from '../new-run.ts';

const HOUR_SECONDS = 3_600;
const MAX_INTERVAL_SECONDS = 31 * 24 * HOUR_SECONDS;
/** Maximum number of schedules of a project, and of runs that a schedule keeps. */
export const MAX_SCHEDULES = 10;
const MAX_KEPT_RUNS = 20;
export const DEFAULT_KEPT_RUNS = 10;
export const DEFAULT_METRIC = 'ndcg@10' satisfies Metric;
const MAX_ENDPOINTS = 20;

const limits = (names: readonly Metric[]) =>
  z.partialRecord(z.enum(names as [Metric, ...Metric[]]), z.number().min(0).max(1_000_000));

export const newSchedule = z
  .object({
    interval_seconds: z
      .number()
      .int()
      .min(HOUR_SECONDS)
      .max(MAX_INTERVAL_SECONDS)
      .describe('Time between the starts of two runs: 3600 for hourly, 86400 for daily, 604800 for weekly.'),
    pipeline_id: uuid().nullish().describe('Provide either this or `retriever_id`.'),
    retriever_id: uuid().nullish(),
    retrieval_parameters: presetRetrievalParameters
      .nullish()
      .describe('Parameters of the search, such as `rerank_top_n` for the number of results.'),
    answer: z
      .boolean()
      .nullish()
      .describe('Whether the questions are also answered, and the answers measured.'),
    at_least: limits(METRICS.filter((metric) => !isLowerBetter(metric)))
      .nullish()
      .describe('Lowest allowed means, such as `{"recall@5": 0.85}`.'),
    at_most: limits(METRICS.filter(isLowerBetter))
      .nullish()
      .describe('Highest allowed means of `latency_ms` and `answer_latency_ms`.'),
    metric: z
      .enum(METRICS)
      .nullish()
      .describe(`Measure by which a run is compared with the previous one. Default: \`${DEFAULT_METRIC}\`.`),
    webhook_configuration_ids: z
      .array(z.string().max(100))
      .max(MAX_ENDPOINTS)
      .nullish()
      .describe('Saved webhook endpoints that are notified when a run ends.'),
    keep_runs: z
      .number()
      .int()
      .min(2)
      .max(MAX_KEPT_RUNS)
      .nullish()
      .describe(`Number of scheduled runs to keep. Older ones are deleted. Default: ${DEFAULT_KEPT_RUNS}.`),
    paused: z.boolean().nullish().describe('Whether no further runs are started. Default: false.'),
  })
  .superRefine(requireOneTarget);
export type NewSchedule = z.infer<typeof newSchedule>;
