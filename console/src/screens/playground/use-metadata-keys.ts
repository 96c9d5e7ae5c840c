import { useQueries } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import type { Answer } from '../../api/types.ts';
import { useProjectId } from '../../shell/project.ts';

const OPERATION = 'GET /api/v1/pipelines/{pipeline_id}/metadata-keys';

/** Returns the metadata keys of the indexes, each with some of its values. */
export function useMetadataKeys(indexIds: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const project = useProjectId();
  return useQueries({
    queries: indexIds.map((pipeline_id) => {
      const input = { params: { pipeline_id } };
      return {
        queryKey: [OPERATION, project, input],
        queryFn: ({ signal }: { signal: AbortSignal }) => call(OPERATION, input, signal),
        staleTime: 60_000,
      };
    }),
    combine: (reads) => {
      const keys = new Map<string, Set<string>>();
      for (const { data } of reads as { data?: Answer<typeof OPERATION>; error: ApiError | null }[]) {
        for (const { name, values } of data?.keys ?? []) {
          const known = keys.get(name) ?? new Set();
          for (const value of values) known.add(String(value));
          keys.set(name, known);
        }
      }
      return keys;
    },
  });
}
