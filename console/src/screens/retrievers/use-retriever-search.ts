import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { Answer, Body } from '../../api/types.ts';
import { useProjectId } from '../../shell/project.ts';
import type { Settings } from '../playground/settings.ts';

const OPERATION = 'POST /api/v1/retrievers/{retriever_id}/retrieve';

export type Result = Answer<typeof OPERATION>;
export type Found = Result['nodes'][number];
type Query = Body<typeof OPERATION>;

/** Builds the request body of a search. Without settings, every index uses its own defaults. */
export const buildQuery = (query: string, settings: Settings, isRouted: boolean): Query => ({
  query,
  ...(isRouted && { mode: 'routing' as const }),
  ...(Object.keys(settings).length > 0 && {
    retrieval_parameters: settings as NonNullable<Query['retrieval_parameters']>,
  }),
});

export function useRetrieverSearch(retrieverId: string, body: Query) {
  const project = useProjectId();
  return useQuery<Result, ApiError>({
    queryKey: [OPERATION, project, retrieverId, body],
    queryFn: ({ signal }) => call(OPERATION, { params: { retriever_id: retrieverId }, body }, signal),
    enabled: body.query !== '',
    // Searches cost time and count towards usage, so they are not repeated when the window regains focus.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the error with fields named as the parameters, which the request nests in `retrieval_parameters`. */
export function toParameterError(error: ApiError): ApiError {
  const detail = error.fields.map(({ loc, msg }) => ({
    loc: loc.filter((part) => part !== 'retrieval_parameters'),
    msg,
  }));
  return new ApiError(error.status, { detail });
}
