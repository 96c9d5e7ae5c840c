import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import type { Query } from '../../api/types.ts';

type Files2 = Query<'GET /api/v1/pipelines/{pipeline_id}/files2'>;
type Status = NonNullable<Files2['statuses']>[number];

export interface FileFilter {
  file_name_contains?: string | undefined;
  statuses?: Status[] | undefined;
  reason?: string | undefined;
}

export const STATES = ['SUCCESS', 'ERROR', 'IN_PROGRESS', 'NOT_STARTED', 'CANCELLED'] as const;

export const isNarrowed = ({ file_name_contains, statuses, reason }: FileFilter) =>
  Boolean(file_name_contains || statuses || reason);

/** Search text, state, error reason and order of the list, stored in the page's address. */
export function useFilters() {
  const [params, setParams] = useSearchParams();
  const name = params.get('q') ?? undefined;
  const state = STATES.find((each) => each === params.get('state'));
  const reason = params.get('reason') ?? undefined;
  const filter = useMemo<FileFilter>(
    () => ({
      ...(name && { file_name_contains: name }),
      ...(state && { statuses: [state] }),
      ...(reason && { reason }),
    }),
    [name, state, reason],
  );
  const set = (changes: Record<string, string | undefined>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [key, value] of Object.entries(changes)) {
          if (value) next.set(key, value);
          else next.delete(key);
        }
        return next;
      },
      { replace: !('file' in changes) },
    );
  return { params, set, filter, state, sort: params.get('sort') ?? 'created_at desc' };
}
