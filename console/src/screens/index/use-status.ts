import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';

type Status = Answer<'GET /api/v1/pipelines/{pipeline_id}/status'>;

/** Polls the status of an index: every second while a run is in progress, otherwise every ten seconds. */
export function useIndexStatus(id: string) {
  return useApiQuery(
    'GET /api/v1/pipelines/{pipeline_id}/status',
    { params: { pipeline_id: id }, query: { full_details: true } },
    { refetchInterval: (query) => (query.state.data?.status === 'IN_PROGRESS' ? 1000 : 10_000) },
  );
}

/** Progress of the index's newest sync run. All fields are absent if the index was never synced. */
export interface RunProgress {
  started_at?: string;
  finished_at?: string | null;
  items?: { done: number; failed: number; waiting: number; running: number };
  counters?: Record<string, number>;
  items_per_second?: number;
  estimated_seconds_remaining?: number | null;
  /** True if a new version of the index is being built while the old one still answers queries. */
  builds_index?: boolean;
}

export const getProgress = (status: Status | undefined): RunProgress => status?.progress ?? {};

/** Returns the state to show for an index. An index that was never synced is shown as new, not as pending. */
export const toIndexState = (status: string | undefined) =>
  status === undefined || status === 'NOT_STARTED' ? 'CREATED' : status;
