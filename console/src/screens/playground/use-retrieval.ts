import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import type { Answer } from '../../api/types.ts';
import { useProjectId } from '../../shell/project.ts';
import type { Settings } from './settings.ts';

const OPERATION = 'POST /api/v1/pipelines/{pipeline_id}/retrieve';

export type Retrieval = Answer<typeof OPERATION>;
export type Found = Retrieval['retrieval_nodes'][number];

/**
 * Searches an index with the settings of one column. A change of the query or the settings starts a new
 * search.
 */
export function useRetrieval(indexId: string, query: string, settings: Settings, enabled = true) {
  const project = useProjectId();
  const isAsked = enabled && query !== '';
  return useQuery<Retrieval, ApiError>({
    queryKey: [OPERATION, project, indexId, query, settings],
    queryFn: ({ signal }) =>
      call(OPERATION, { params: { pipeline_id: indexId }, body: { ...settings, query } }, signal),
    enabled: isAsked,
    placeholderData: isAsked ? keepPreviousData : undefined,
    // Searches cost time and count towards usage, so they are not repeated when the window regains focus.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns settings without reranking and cut-off, which return every passage that was found. */
export const withoutCutOff = (settings: Settings): Settings => ({
  ...settings,
  enable_reranking: false,
  dense_similarity_cutoff: 0,
  retrieve_page_screenshot_nodes: false,
  retrieve_page_figure_nodes: false,
});

export const getNodeId = ({ node }: Found) => node.id_ ?? '';
