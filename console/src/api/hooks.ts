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
import type { Answer, Changing, Input, Reading } from './types.ts';

type Options<Data> = Pick<
  UseQueryOptions<Data, ApiError>,
  'enabled' | 'refetchInterval' | 'staleTime' | 'gcTime'
>;

/**
 * What an operation that reads answers, read again when the page is looked at again. Data stay while those of other
 * inputs are read.
 */
export function useAnswer<Name extends Reading>(
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

/** An operation that changes something; afterwards what those of `changes` answered is read again. */
export function useAction<Name extends Changing>(operation: Name, changes: Reading[] = []) {
  const client = useQueryClient();
  return useMutation<Answer<Name>, ApiError, Input<Name>>({
    mutationFn: (input) => call(operation, input),
    onSuccess: () => Promise.all(changes.map((each) => client.invalidateQueries({ queryKey: [each] }))),
  });
}
