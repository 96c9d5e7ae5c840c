import { z } from 'zod';
import { RANKING_METRICS } from '#src/evaluation/metrics.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { MAX_RESULTS } from '#src/retrieval-contract/parameters.ts';

/** Maximum number of settings that a sweep tries. */
export const MAX_CANDIDATES = 100;
/** Maximum number of copies of the pipeline that a sweep indexes. */
export const MAX_VARIANTS = 6;
/** Minimum number of questions with expected results. Fewer say too little about either half. */
export const MIN_QUESTIONS = 10;
/** Maximum number of sweeps of a project, and of its sweeps that have not ended. */
export const MAX_SWEEPS = 100;
export const MAX_OPEN_SWEEPS = 10;
export const DEFAULT_BUDGET = 2_000;
const MAX_BUDGET = 20_000;

/** Measures that a sweep can improve. */
export const SWEEP_METRICS = [...RANKING_METRICS, 'latency_ms'] as const;
export type SweepMetric = (typeof SWEEP_METRICS)[number];

const list = <Item extends z.ZodType>(item: Item, most: number) => z.array(item).min(1).max(most).nullish();

export const newSweep = z.object({
  question_set_id: uuid(),
  pipeline_id: uuid().describe('Pipeline whose settings to improve. The sweep does not change it.'),
  name: z.string().trim().min(1).max(200).nullish().describe('Default: the pipeline and the time.'),
  metric: z.enum(SWEEP_METRICS).nullish().describe('Measure to improve. Default: `ndcg@10`.'),
  budget: z
    .number()
    .int()
    .min(1)
    .max(MAX_BUDGET)
    .nullish()
    .describe(`Maximum number of searches, which are questions × settings. Default: ${DEFAULT_BUDGET}.`),
  alphas: list(z.number().min(0).max(1), 11).describe(
    'Weights of dense search to try. Default: 0, 0.25, 0.5, 0.75 and 1.',
  ),
  reranking: list(z.boolean(), 2).describe('Whether to rerank. Default: both.'),
  top_ks: list(z.number().int().min(1).max(MAX_RESULTS), 5).describe(
    'Numbers of chunks that dense search and sparse search each find. Default: the number of the pipeline.',
  ),
  chunk_sizes: list(z.number().int().min(32).max(8_192), 4).describe(
    'Chunk sizes in tokens to try besides the present one. Each is indexed in a hidden copy of the pipeline.',
  ),
  embedding_model_config_ids: list(uuid(), 4).describe(
    'Embedding configurations to try besides the present one. Each is indexed in a hidden copy of the pipeline.',
  ),
});
export type NewSweep = z.infer<typeof newSweep>;
