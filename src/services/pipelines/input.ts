import { z } from 'zod';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { withoutEffect, withSelected } from '#src/lib/schema/effect.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { pipelineParseParameters } from '#src/parse/parameters/parameters.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { newDataSink, warningsByType } from '#src/services/connections/data-sinks.ts';

export const sparseModelConfig = z.object({
  class_name: z.string().nullish(),
  model_type: withoutEffect(
    z.enum(['auto', 'bm25', 'splade']).nullable().default('bm25'),
    (type, _, { hasSparseModel }) => {
      if (type === 'auto') {
        return hasSparseModel
          ? 'BM25 is used. Choose splade to use the learned sparse model of the installation.'
          : 'BM25 is used, because it is the only sparse model.';
      }
      return type === 'splade' && !hasSparseModel
        ? 'BM25 is used, because SPARSE_EMBEDDINGS_URL names no server with a learned sparse model.'
        : undefined;
    },
  ),
});

export const metadataConfig = z.object({
  excluded_embed_metadata_keys: z.array(z.string()).nullish(),
  excluded_llm_metadata_keys: z.array(z.string()).nullish(),
});

export { storedTransformConfig } from '#src/ingest/chunking/transform-config.ts';

export const pipelineType = z.enum(['MANAGED', 'PLAYGROUND']);

/**
 * Optional fields for creating and updating pipelines. If a resource is given both by id and inline, the id
 * takes precedence.
 */
const configuration = {
  data_sink: withSelected(
    newDataSink.extend({
      id: uuid().nullish().describe('Id of an existing data sink. All other fields must equal its fields.'),
    }),
    warningsByType,
  ).nullish(),
  data_sink_id: uuid().nullish(),
  embedding_config: embeddingConfig.nullish(),
  embedding_model_config_id: uuid().nullish(),
  parse_parameters: pipelineParseParameters.nullish(),
  pipeline_type: withoutEffect(pipelineType.nullish(), (type, { managed_pipeline_id }) =>
    type === 'PLAYGROUND' && !managed_pipeline_id
      ? 'Without managed_pipeline_id, the pipeline works like a managed pipeline.'
      : undefined,
  ),
  managed_pipeline_id: withoutEffect(
    uuid().nullish().describe('Pipeline that answers the queries of a pipeline of type PLAYGROUND.'),
    (_, { pipeline_type }) =>
      pipeline_type === 'PLAYGROUND'
        ? undefined
        : 'The id is stored, but has an effect only for pipelines of type PLAYGROUND.',
  ),
  metadata_config: metadataConfig.nullish(),
  preset_retrieval_parameters: presetRetrievalParameters.nullish(),
  sparse_model_config: sparseModelConfig.nullish(),
  status: withoutEffect(z.string().nullish(), 'The service determines the status of a pipeline.'),
  transform_config: transformConfig.nullish(),
};

const name = z.string().min(1).max(3000);

export const newPipeline = z.object({ name, ...configuration });
export type NewPipeline = z.infer<typeof newPipeline>;

export const pipelineChanges = z.object({ name: name.nullish(), ...configuration });
export type PipelineChanges = z.infer<typeof pipelineChanges>;
