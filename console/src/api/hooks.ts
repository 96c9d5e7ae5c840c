import {
  keepPreviousData,
  type UseQueryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useProjectId } from '../shell/project.ts';
import { call } from './client.ts';
import type { ApiError } from './errors.ts';
import type { Answer, Input, ReadOperation, WriteOperation } from './types.ts';

type Options<Data> = Pick<
  UseQueryOptions<Data, ApiError>,
  'enabled' | 'refetchInterval' | 'staleTime' | 'gcTime'
>;

/**
 * Returns the result of a read operation, which is fetched again when the window regains focus. After a
 * change of the input, the previous data stays visible until new data has loaded.
 */
export function useApiQuery<Name extends ReadOperation>(
  operation: Name,
  input: Input<Name>,
  options: Options<Answer<Name>> = {},
) {
  const project = useProjectId();
  return useQuery<Answer<Name>, ApiError>({
    queryKey: [operation, project, input],
    queryFn: ({ signal }) => call(operation, input, signal),
    placeholderData: keepPreviousData,
    ...options,
  });
}

/**
 * Returns a mutation that calls a write operation of the API. After success, cached results of the read
 * operations in `affected` are fetched again.
 */
export function useApiMutation<Name extends WriteOperation>(operation: Name, affected: ReadOperation[] = []) {
  const client = useQueryClient();
  return useMutation<Answer<Name>, ApiError, Input<Name>>({
    mutationFn: (input) => call(operation, input),
    onSuccess: () => Promise.all(affected.map((each) => client.invalidateQueries({ queryKey: [each] }))),
  });
}
