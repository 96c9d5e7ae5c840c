import { useApiMutation } from '../../api/hooks.ts';
import type { ReadOperation } from '../../api/types.ts';

/** API operations whose cached results are outdated when a sync run starts or ends. */
export const CHANGED_BY_RUNS: ReadOperation[] = [
  'GET /api/v1/pipelines/{pipeline_id}/status',
  'GET /api/v1/pipelines',
  'GET /api/v1/pipeline-jobs',
  'GET /api/v1/pipelines/{pipeline_id}/files/failures',
  'GET /api/v1/pipelines/{pipeline_id}/data-sources',
];

export const useSync = () => useApiMutation('POST /api/v1/pipelines/{pipeline_id}/sync', CHANGED_BY_RUNS);
export const useCancel = () =>
  useApiMutation('POST /api/v1/pipelines/{pipeline_id}/sync/cancel', CHANGED_BY_RUNS);
