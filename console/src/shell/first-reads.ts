import type { QueryClient } from '@tanstack/react-query';
import { call, setCurrentProject } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';
import type { Input, ReadOperation, Session } from '../api/types.ts';
import { INDEX_LIST } from '../screens/indexes/index-list.ts';

/** Query of the session, which the page shows nothing without. */
export const SESSION_QUERY = {
  queryKey: ['session'],
  queryFn: () => call('GET /api/v1/session', {}),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
} as const;

/**
 * Begins to read the session, and then what the first page shows, before anything is rendered. The results are in the
 * cache of queries when components ask for them. Failures are shown by those components.
 */
export async function startFirstReads(client: QueryClient): Promise<void> {
  const session = await client.fetchQuery<Session, ApiError>(SESSION_QUERY).catch(() => undefined);
  if (!session) return;
  const project = new URLSearchParams(location.search).get('project_id') ?? undefined;
  setCurrentProject(project);
  const prefetch = <Name extends ReadOperation>(operation: Name, input: Input<Name>) =>
    client.prefetchQuery({
      queryKey: [operation, project, input],
      queryFn: ({ signal }) => call(operation, input, signal),
    });
  const frame = prefetch('GET /api/v1/projects', {});
  if (!/^\/console\/(?:indexes\/?)?$/.test(location.pathname)) return frame;
  await Promise.all([
    frame,
    prefetch('GET /api/v1/pipelines', INDEX_LIST),
    prefetch('GET /api/v1/capabilities', {}),
  ]);
}
