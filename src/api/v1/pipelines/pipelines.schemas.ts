import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { metadataFilters } from '#src/retrieval-contract/filter-schema.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import {
  metadataConfig,
  pipelineType,
  sparseModelConfig,
  storedTransformConfig,
} from '#src/services/pipelines/input.ts';
import { dataSinkBody } from '../connections/data-sinks.ts';
import { embeddingModelConfigBody } from '../connections/embedding-model-configs.ts';

export const ingestionStatus = z.enum([
  'CANCELLED',
  'ERROR',
  'IN_PROGRESS',
  'NOT_STARTED',
  'PARTIAL_SUCCESS',
  'SUCCESS',
]);

export const ingestionStep = z.enum([
  'DATA_SOURCE',
  'FILE_UPDATER',
  'INGESTION',
  'MANAGED_INGESTION',
  'METADATA_UPDATE',
  'PARSE',
  'TRANSFORM',
]);

export const runItems = z
  .object({ done: z.number(), failed: z.number(), waiting: z.number(), running: z.number() })
  .describe('Progress of the sync while it is running.');

const countsByStatus = z.record(z.string(), z.number().int());

export const pipelineBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    project_id: z.string(),
    embedding_config: embeddingConfig,
    embedding_model_config_id: z.uuid().nullish(),
    embedding_model_config: embeddingModelConfigBody.nullish(),
    config_hash: z
      .object({
        embedding_config_hash: z.string().nullish(),
        parsing_config_hash: z.string().nullish(),
        transform_config_hash: z.string().nullish(),
      })
      .nullish(),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
    data_sink: dataSinkBody.nullish(),
    parse_parameters: parseParameters.nullish(),
    managed_pipeline_id: z.uuid().nullish(),
    metadata_config: metadataConfig.nullish(),
    pipeline_type: pipelineType.nullish(),
    preset_retrieval_parameters: presetRetrievalParameters.nullish(),
    sparse_model_config: sparseModelConfig.nullish(),
    status: z.enum(['CREATED', 'DELETING']).nullish(),
    transform_config: storedTransformConfig.nullish(),
    ingestion: z
      .object({
        status: ingestionStatus,
        newest_job: z
          .object({
            id: z.uuid(),
            status: ingestionStatus,
            reason: z.string(),
            started_at: timestamp,
            finished_at: timestamp.nullish(),
          })
          .nullish(),
        items: runItems.nullish(),
      })
      .nullish()
      .describe('Present with `expand=status`.'),
    counts: z
      .object({ files: countsByStatus, documents: countsByStatus })
      .nullish()
      .describe('Present with `expand=counts`. Documents are the text documents.'),
  })
  .meta({ id: 'Pipeline' });

export const ingestionStatusBody = z
  .object({
    status: ingestionStatus,
    job_id: z.uuid().nullish(),
    deployment_date: timestamp.nullish(),
    effective_at: timestamp.nullish(),
    error: z.array(z.object({ job_id: z.uuid(), message: z.string(), step: ingestionStep })).nullish(),
    problems: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .nullish()
      .describe(
        'Fields of the pipeline that prevent every sync at present, each with the reason. A data sink that does not answer is one of them.',
      ),
    counts: z.record(z.string(), z.number()).nullish().describe('Number of files and documents by state.'),
    progress: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe('Progress of the sync, with full_details.'),
  })
  .meta({ id: 'IngestionStatus' });

const relatedNode = z.object({
  node_id: z.string(),
  node_type: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  hash: z.string().nullish(),
  class_name: z.string().nullish(),
});

export const textNode = z
  .object({
    id_: z.string().nullish(),
    text: z.string().nullish(),
    mimetype: z.string().nullish(),
    start_char_idx: z.number().int().nullish(),
    end_char_idx: z.number().int().nullish(),
    embedding: z.array(z.number()).nullish(),
    extra_info: z.record(z.string(), z.unknown()).nullish(),
    excluded_embed_metadata_keys: z.array(z.string()).nullish(),
    excluded_llm_metadata_keys: z.array(z.string()).nullish(),
    relationships: z.record(z.string(), z.union([relatedNode, z.array(relatedNode)])).nullish(),
    metadata_template: z.string().nullish(),
    metadata_seperator: z.string().nullish(),
    text_template: z.string().nullish(),
    class_name: z.string().nullish(),
  })
  .meta({ id: 'TextNode' });

export const pictureNode = z.object({
  node: z.object({
    file_id: z.uuid(),
    page_index: z.number().int().min(0),
    image_size: z.number().int().min(0),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  }),
  score: z.number(),
  class_name: z.string().nullish(),
});

export const figureNode = z.object({
  node: z.object({
    confidence: z.number().min(0).max(1),
    figure_name: z.string(),
    figure_size: z.number().int().min(0),
    file_id: z.uuid(),
    page_index: z.number().int().min(0),
    is_likely_noise: z.boolean().nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  }),
  score: z.number(),
  class_name: z.string().nullish(),
});

export const scoreParts = z
  .object({
    dense: z.number().nullable().describe('Cosine similarity of the vectors.'),
    sparse: z.number().nullable().describe('BM25 score of the words.'),
    rerank: z.number().nullable().describe('Score of the reranker, if one ordered the nodes.'),
  })
  .describe('Parts of the score. Null if a search did not find the node. Absent for whole files.')
  .meta({ id: 'ScoreParts' });

export const retrievalResult = z
  .object({
    pipeline_id: z.uuid(),
    retrieval_nodes: z.array(
      z.object({
        node: textNode,
        score: z.number().nullish(),
        score_parts: scoreParts.nullish(),
        class_name: z.string().nullish(),
      }),
    ),
    image_nodes: z.array(pictureNode).nullish().meta({ deprecated: true }),
    page_figure_nodes: z.array(figureNode).nullish(),
    inferred_search_filters: metadataFilters.nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    retrieval_latency: z
      .record(z.string(), z.number())
      .nullish()
      .describe(
        'Seconds per stage. In a deployment to the edge, the clock advances only while the service waits, so pure computation shows as 0.',
      ),
    class_name: z.string().nullish(),
  })
  .meta({ id: 'RetrievalResult' });
