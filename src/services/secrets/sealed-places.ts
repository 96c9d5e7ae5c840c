import type { TableName } from '#src/db/ownership/entry.ts';
import { requireOwnedTable, sealedPlace } from '#src/db/ownership/owned-tables.ts';
import type { OWNERSHIP } from '#src/db/ownership/table.ts';

/** Columns that `src/db/ownership/table.ts` lists as sealed. Other columns do not compile below. */
type SealedIn<Name extends TableName> = (typeof OWNERSHIP)[Name] extends { sealed: infer Columns }
  ? keyof Columns & string
  : never;

function placeIn<Name extends TableName>(table: Name, column: SealedIn<Name>): (id: string) => string {
  return (id) => sealedPlace(requireOwnedTable(table), column, id);
}

/**
 * Places to which sealed secrets are bound: `<table>/<id>/<column>`. All code that seals or opens secrets
 * uses them.
 */
export const sealedPlaces = {
  dataSink: placeIn('data_sinks', 'component'),
  dataSource: placeIn('data_sources', 'component'),
  embeddingModelConfig: placeIn('embedding_model_configs', 'embeddingConfig'),
  pipelineEmbedding: placeIn('pipelines', 'embeddingConfig'),
  indexEmbedding: placeIn('pipeline_indexes', 'embeddingConfig'),
  indexSink: placeIn('pipeline_indexes', 'sink'),
  pipelineParsing: placeIn('pipelines', 'parseParameters'),
  webhookConfig: placeIn('webhook_configs', 'configuration'),
  webhookDelivery: placeIn('webhook_deliveries', 'configuration'),
  savedConfiguration: placeIn('configurations', 'parameters'),
  /** The three job tables share these places, because job ids are unique across them. */
  jobConfiguration: placeIn('parse_jobs', 'configuration'),
  jobInput: placeIn('parse_jobs', 'sealedInput'),
  jobWebhooks: placeIn('parse_jobs', 'webhookConfigurations'),
};
