import { useAction } from '../../api/hooks.ts';
import type { Reading } from '../../api/types.ts';

/** What a run changes as soon as it begins or ends. */
export const CHANGED_BY_RUNS: Reading[] = [
  'GET /api/v1/pipelines/{pipeline_id}/status',
  'GET /api/v1/pipelines',
  'GET /api/v1/pipeline-jobs',
  'GET /api/v1/pipelines/{pipeline_id}/files/failures',
  'GET /api/v1/pipelines/{pipeline_id}/data-sources',
];

export const useSync = () => useAction('POST /api/v1/pipelines/{pipeline_id}/sync', CHANGED_BY_RUNS);
export const useCancel = () => useAction('POST /api/v1/pipelines/{pipeline_id}/sync/cancel', CHANGED_BY_RUNS);
