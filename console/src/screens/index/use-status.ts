import { useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';

type Status = Answer<'GET /api/v1/pipelines/{pipeline_id}/status'>;

/** The state of an index with the progress of its run; each second while one is on, else every ten. */
export function useIndexStatus(id: string) {
  return useAnswer(
    'GET /api/v1/pipelines/{pipeline_id}/status',
    { params: { pipeline_id: id }, query: { full_details: true } },
    { refetchInterval: (query) => (query.state.data?.status === 'IN_PROGRESS' ? 1000 : 10_000) },
  );
}

/** How far the newest run has come; of an index that never ran all is absent. */
export interface RunProgress {
  started_at?: string;
  finished_at?: string | null;
  items?: { done: number; failed: number; waiting: number; running: number };
  counters?: Record<string, number>;
  items_per_second?: number;
  estimated_seconds_remaining?: number | null;
  /** An index of another configuration is filled beside the one that answers. */
  builds_index?: boolean;
}

export const progressOf = (status: Status | undefined): RunProgress => status?.progress ?? {};
