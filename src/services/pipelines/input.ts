import { z } from 'zod';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { withoutEffect, withSelected } from '#src/lib/schema/effect.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { pipelineParseParameters } from '#src/parse/parameters/parameters.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { byType, newDataSink } from '#src/services/connections/data-sinks.ts';

const NO_WEIGHTS =
  'The index keeps how often words occur and has no place for the weights of a learned sparse model';

export const sparseModelConfig = z.object({
  class_name: z.string().nullish(),
  model_type: withoutEffect(z.enum(['auto', 'bm25', 'splade']).nullable().default('bm25'), (type) => {
    if (type === 'splade') return `${NO_WEIGHTS}; BM25 is used.`;
    return type === 'auto' ? 'BM25 is chosen, the one sparse model there is.' : undefined;
  }),
});

export const metadataConfig = z.object({
  excluded_embed_metadata_keys: z.array(z.string()).nullish(),
  excluded_llm_metadata_keys: z.array(z.string()).nullish(),
});

export { storedTransformConfig } from '#src/ingest/chunking/transform-config.ts';

export const pipelineType = z.enum(['MANAGED', 'PLAYGROUND']);

/**
 * Optional configuration of a pipeline, for creation and updates. If a resource is given both by id and
 * inline, the id is used.
 */
const configuration = {
  data_sink: withSelected(
    newDataSink.extend({
      id: uuid().nullish().describe('Of a data sink that is there; the rest must be as it is.'),
    }),
    byType,
  ).nullish(),
  data_sink_id: uuid().nullish(),
  embedding_config: embeddingConfig.nullish(),
  embedding_model_config_id: uuid().nullish(),
  parse_parameters: pipelineParseParameters.nullish(),
  pipeline_type: withoutEffect(pipelineType.nullish(), (type, { managed_pipeline_id }) =>
    type === 'PLAYGROUND' && !managed_pipeline_id
      ? 'Without a managed_pipeline_id it works as a managed pipeline.'
      : undefined,
  ),
  managed_pipeline_id: withoutEffect(
    uuid().nullish().describe('The pipeline that one of the type PLAYGROUND is answered from.'),
    (_, { pipeline_type }) =>
      pipeline_type === 'PLAYGROUND'
        ? undefined
        : 'The link is kept and shown; it is followed from a pipeline of the type PLAYGROUND alone.',
  ),
  metadata_config: metadataConfig.nullish(),
  preset_retrieval_parameters: presetRetrievalParameters.nullish(),
  sparse_model_config: sparseModelConfig.nullish(),
  status: withoutEffect(z.string().nullish(), 'A pipeline’s status is what the service says.'),
  transform_config: transformConfig.nullish(),
};

const name = z.string().min(1).max(3000);

export const newPipeline = z.object({ name, ...configuration });
export type NewPipeline = z.infer<typeof newPipeline>;

export const pipelineChanges = z.object({ name: name.nullish(), ...configuration });
export type PipelineChanges = z.infer<typeof pipelineChanges>;
