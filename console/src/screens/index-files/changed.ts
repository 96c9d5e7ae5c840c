/** What is read again when files were added, removed or tried again. */
export const CHANGED = [
  'GET /api/v1/pipelines/{pipeline_id}/files2',
  'GET /api/v1/pipelines/{pipeline_id}/files/status-counts',
  'GET /api/v1/pipelines/{pipeline_id}/status',
] as const;
