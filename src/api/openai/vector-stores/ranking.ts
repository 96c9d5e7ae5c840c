import { z } from 'zod';
import { DEFAULTS } from '#src/retrieval-contract/defaults.ts';
import type { PresetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { type AttributeFilter, toMetadataFilters } from './filters.ts';

const weight = z.number().min(0).max(1);

export const rankingOptions = z.object({
  ranker: z
    .enum(['none', 'auto', 'default-2024-11-15'])
    .nullish()
    .describe('`none` leaves out reranking. Other values use the reranker of the pipeline.'),
  score_threshold: weight.nullish().describe('Results with a lower score are left out.'),
  hybrid_search: z
    .object({ embedding_weight: weight, text_weight: weight })
    .refine((given) => given.embedding_weight + given.text_weight > 0, {
      error: 'one of the two weights must be greater than 0',
    })
    .nullish(),
});

/** Options of a search as requests of the protocol contain them. */
export interface SearchOptions {
  filters?: AttributeFilter | null | undefined;
  max_num_results?: number | null | undefined;
  ranking_options?: Pick<z.output<typeof rankingOptions>, 'ranker' | 'hybrid_search'> | null | undefined;
}

/** Converts the options of a search to retrieval parameters. Options that are absent are left out. */
export function toRetrievalParameters(
  { filters, max_num_results: wanted, ranking_options: ranking }: SearchOptions,
  filtersAt: (string | number)[] = ['filters'],
): PresetRetrievalParameters {
  const { hybrid_search: hybrid, ranker } = ranking ?? {};
  return {
    ...(wanted && {
      rerank_top_n: wanted,
      dense_similarity_top_k: Math.max(wanted, DEFAULTS.dense_similarity_top_k),
      sparse_similarity_top_k: Math.max(wanted, DEFAULTS.sparse_similarity_top_k),
    }),
    ...(filters && { search_filters: toMetadataFilters(filters, filtersAt) }),
    ...(ranker === 'none' && { enable_reranking: false }),
    ...(hybrid && { alpha: hybrid.embedding_weight / (hybrid.embedding_weight + hybrid.text_weight) }),
  };
}
