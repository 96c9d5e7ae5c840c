import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { t } from '../i18n/messages.ts';
import { notify } from '../ui/notify.tsx';
import { call } from './client.ts';
import type { ApiError } from './errors.ts';
import type { Input, WriteOperation } from './types.ts';

/** Change that an edit makes to cached results before the service has answered. */
export interface CacheEdit<EditInput> {
  /** Beginning of the keys of the results. A read operation is the beginning of the keys of its results. */
  queryKey: QueryKey;
  /** Returns the changed result, or the same result if the edit does not concern it. */
  // biome-ignore lint/suspicious/noExplicitAny: the cache does not know the types of its results
  change: (result: any, input: EditInput) => unknown;
}

interface OptimisticOptions<EditInput> {
  /** Name of the kind of edit. Edits of one kind are sent one after another. */
  name: string;
  save: (input: EditInput) => Promise<unknown>;
  edits: readonly CacheEdit<EditInput>[];
  /** Message for the user if the service refuses the edit. Without it, the caller shows the error. */
  failed?: string;
}

/**
 * Returns a mutation for a small edit, such as a new name, that is shown at once. If the service refuses the edit, the
 * former state is shown again with a message. After the last of several edits, the results are fetched again.
 */
export function useOptimisticMutation<EditInput>(options: OptimisticOptions<EditInput>) {
  const { name, save, edits, failed } = options;
  const client = useQueryClient();
  const mutationKey = ['optimistic', name];
  return useMutation<unknown, ApiError, EditInput, CachedChange[]>({
    mutationKey,
    scope: { id: name },
    mutationFn: save,
    onMutate: async (input) => {
      // A result that is still being fetched may not contain the edit.
      await Promise.all(edits.map(({ queryKey }) => client.cancelQueries({ queryKey })));
      return edits.flatMap(({ queryKey, change }) =>
        client.getQueriesData({ queryKey }).flatMap(([key, before]) => {
          const after = before === undefined ? before : change(before, input);
          if (after === before) return [];
          client.setQueryData(key, after);
          return [{ key, before, after: client.getQueryData(key) }];
        }),
      );
    },
    onError: (error, _, changes = []) => {
      for (const { key, before, after } of changes) {
        // A later edit of the same result is kept. The result is fetched again after that edit.
        if (client.getQueryData(key) === after) client.setQueryData(key, before);
      }
      if (failed === undefined) return;
      notify(t('{failed}: {reason}', { failed, reason: error.message }), { tone: 'bad' });
    },
    onSettled: async () => {
      if (client.isMutating({ mutationKey }) > 1) return;
      await Promise.all(edits.map(({ queryKey }) => client.invalidateQueries({ queryKey })));
    },
  });
}

interface CachedChange {
  key: QueryKey;
  before: unknown;
  after: unknown;
}

/** Returns an optimistic mutation that calls a write operation of the API. */
export const useOptimisticApiMutation = <Name extends WriteOperation>(
  operation: Name,
  edits: readonly CacheEdit<Input<Name>>[],
  failed?: string,
) =>
  useOptimisticMutation<Input<Name>>({
    name: operation,
    save: (input) => call(operation, input),
    edits,
    ...(failed !== undefined && { failed }),
  });
