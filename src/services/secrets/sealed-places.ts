import type { TableName } from '#src/db/ownership/entry.ts';
import { getSealedPlace, requireOwnedTable } from '#src/db/ownership/owned-tables.ts';
import type { OWNERSHIP } from '#src/db/ownership/table.ts';

/**
 * Columns that contain encrypted secrets according to `src/db/ownership/table.ts`. Using another column below
 * is a compile error.
 */
type SealedColumnName<Name extends TableName> = (typeof OWNERSHIP)[Name] extends { sealed: infer Columns }
  ? keyof Columns & string
  : never;

function createPlaceBuilder<Name extends TableName>(
  table: Name,
  column: SealedColumnName<Name>,
): (id: string) => string {
  return (id) => getSealedPlace(requireOwnedTable(table), column, id);
}

/**
 * Names of columns and rows to which encrypted secrets are bound, in the form `<table>/<id>/<column>`. A
 * secret that is copied elsewhere cannot be decrypted.
 */
export const sealedPlaces = {
  dataSink: createPlaceBuilder('data_sinks', 'component'),
  dataSource: createPlaceBuilder('data_sources', 'component'),
  embeddingModelConfig: createPlaceBuilder('embedding_model_configs', 'embeddingConfig'),
  pipelineEmbedding: createPlaceBuilder('pipelines', 'embeddingConfig'),
  indexEmbedding: createPlaceBuilder('pipeline_indexes', 'embeddingConfig'),
  indexSink: createPlaceBuilder('pipeline_indexes', 'sink'),
  pipelineParsing: createPlaceBuilder('pipelines', 'parseParameters'),
  webhookConfig: createPlaceBuilder('webhook_configs', 'configuration'),
  webhookDelivery: createPlaceBuilder('webhook_deliveries', 'configuration'),
  savedConfiguration: createPlaceBuilder('configurations', 'parameters'),
  /**
   * All three kinds of jobs use the table name `parse_jobs` here. This is safe because job ids are unique
   * across the tables.
   */
  jobConfiguration: createPlaceBuilder('parse_jobs', 'configuration'),
  jobInput: createPlaceBuilder('parse_jobs', 'sealedInput'),
  jobWebhooks: createPlaceBuilder('parse_jobs', 'webhookConfigurations'),
};
