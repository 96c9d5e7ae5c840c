import type { TableName } from '#src/db/ownership/entry.ts';
import { requireOwnedTable, sealedPlace } from '#src/db/ownership/owned-tables.ts';
import type { OWNERSHIP } from '#src/db/ownership/table.ts';

/** The columns of a table that `src/db/ownership/table.ts` lists as sealed. Others do not compile below. */
type SealedIn<Name extends TableName> = (typeof OWNERSHIP)[Name] extends { sealed: infer Columns }
  ? keyof Columns & string
  : never;

function placeIn<Name extends TableName>(table: Name, column: SealedIn<Name>): (id: string) => string {
  return (id) => sealedPlace(requireOwnedTable(table), column, id);
}

/**
 * The place that each sealed secret is bound to: `<table>/<id>/<column>`. Code that seals or opens secrets takes the
 * place from here.
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
  /** The tables of the three kinds of jobs have the same places, because ids of jobs are unique across them. */
  jobConfiguration: placeIn('parse_jobs', 'configuration'),
  jobInput: placeIn('parse_jobs', 'sealedInput'),
  jobWebhooks: placeIn('parse_jobs', 'webhookConfigurations'),
};
