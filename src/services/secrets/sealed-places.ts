/**
 * The place that binds each sealed secret to its row and column: `<table>/<id>/<column>`. Whoever seals or
 * opens takes it from here, and src/services/secrets/rotate-secrets.ts goes through all of them.
 */
export const sealedPlaces = {
  dataSink: (id: string) => `data_sinks/${id}/component`,
  dataSource: (id: string) => `data_sources/${id}/component`,
  embeddingModelConfig: (id: string) => `embedding_model_configs/${id}/embedding_config`,
  pipelineEmbedding: (id: string) => `pipelines/${id}/embedding_config`,
  indexEmbedding: (id: string) => `pipeline_indexes/${id}/embedding_config`,
  indexSink: (id: string) => `pipeline_indexes/${id}/sink`,
  pipelineParsing: (id: string) => `pipelines/${id}/parse_parameters`,
  webhookConfig: (id: string) => `webhook_configs/${id}/configuration`,
  webhookDelivery: (id: string) => `webhook_deliveries/${id}/configuration`,
  savedConfiguration: (id: string) => `configurations/${id}/parameters`,
  /** Job ids are unique across the kinds of jobs. */
  jobConfiguration: (jobId: string) => `jobs/${jobId}/configuration`,
  jobInput: (jobId: string) => `jobs/${jobId}/sealed_input`,
  jobWebhooks: (jobId: string) => `jobs/${jobId}/webhook_configurations`,
};
