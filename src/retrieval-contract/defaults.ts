import type { MetadataFilters } from './filter-schema.ts';

// This file only imports types, so that the console can import it without a schema library.

/**
 * All retrieval parameters with the values that a query uses. Values of the request come first, then those of
 * the preset, then the defaults.
 */
export interface RetrievalParameters {
  /**
   * Weight of dense search compared with sparse search, from 0 to 1. Null selects a weight that suits the
   * pipeline's embedding model.
   */
  alpha: number | null;
  dense_similarity_cutoff: number;
  dense_similarity_top_k: number;
  sparse_similarity_top_k: number;
  enable_reranking: boolean;
  rerank_top_n: number;
  files_top_k: number;
  retrieval_mode: 'auto_routed' | 'chunks' | 'files_via_content' | 'files_via_metadata';
  retrieve_page_figure_nodes: boolean;
  retrieve_page_screenshot_nodes: boolean;
  search_filters: MetadataFilters | null;
  search_filters_inference_schema: Record<string, unknown> | null;
}

export const DEFAULTS: RetrievalParameters = {
  alpha: null,
  dense_similarity_cutoff: 0,
  dense_similarity_top_k: 30,
  sparse_similarity_top_k: 30,
  enable_reranking: true,
  rerank_top_n: 6,
  files_top_k: 1,
  retrieval_mode: 'chunks',
  retrieve_page_figure_nodes: false,
  retrieve_page_screenshot_nodes: false,
  search_filters: null,
  search_filters_inference_schema: null,
};
