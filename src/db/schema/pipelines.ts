import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { dataSinks, dataSources, embeddingModelConfigs } from './connections.ts';
import { projects } from './tenancy.ts';

export const INGESTION_STATUSES = [
  'NOT_STARTED',
  'IN_PROGRESS',
  'SUCCESS',
  'PARTIAL_SUCCESS',
  'ERROR',
  'CANCELLED',
] as const;
export type IngestionStatus = (typeof INGESTION_STATUSES)[number];

/** Reason why a file, text document or sync run failed, in the format of the API. */
export interface IngestionError {
  job_id: string;
  message: string;
  step:
    | 'DATA_SOURCE'
    | 'FILE_UPDATER'
    | 'INGESTION'
    | 'MANAGED_INGESTION'
    | 'METADATA_UPDATE'
    | 'PARSE'
    | 'TRANSFORM';
}

export const ingestionStatus = () => text({ enum: INGESTION_STATUSES }).notNull().default('NOT_STARTED');

export const pipelines = sqliteTable(
  'pipelines',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    pipelineType: text({ enum: ['MANAGED', 'PLAYGROUND'] })
      .notNull()
      .default('MANAGED'),
    status: text({ enum: ['CREATED', 'DELETING'] })
      .notNull()
      .default('CREATED'),
    embeddingConfig: json<{ type: string; component: Record<string, unknown> }>().notNull(),
    embeddingModelConfigId: text().references(() => embeddingModelConfigs.id),
    /** Id of the pipeline's data sink. Null if the pipeline uses the managed index. */
    dataSinkId: text().references(() => dataSinks.id),
    transformConfig: json<Record<string, unknown>>().notNull(),
    parseParameters: json<Record<string, unknown>>().notNull(),
    /**
     * Whether a LlamaCloud client set the parse parameters through `/compat`. Webhooks then use LlamaCloud's
     * format.
     */
    asOriginal: integer({ mode: 'boolean' }).notNull().default(false),
    presetRetrievalParameters: json<Record<string, unknown>>().notNull(),
    sparseModelConfig: json<Record<string, unknown>>(),
    metadataConfig: json<{
      excluded_embed_metadata_keys?: string[];
      excluded_llm_metadata_keys?: string[];
    }>(),
    managedPipelineId: text(),
    /** Metadata that a client of the OpenAI protocol stored with the pipeline as its vector store. */
    clientMetadata: json<Record<string, string>>(),
    /**
     * Hash of the embedding configuration in canonical form. The columns below contain the hashes of the
     * other configurations.
     */
    embeddingConfigHash: text().notNull(),
    parsingConfigHash: text().notNull(),
    transformConfigHash: text().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // Names are unique only among pipelines that are not being deleted, so a deleted pipeline's name can be
    // reused at once.
    uniqueIndex('pipelines_by_name').on(table.projectId, table.name).where(sql`status <> 'DELETING'`),
    index('pipelines_by_project').on(table.projectId, table.createdAt, table.id),
    index('pipelines_by_sink').on(table.dataSinkId),
    index('pipelines_by_embedding_model_config').on(table.embeddingModelConfigId),
  ],
);

const pipelineId = () =>
  text()
    .notNull()
    .references(() => pipelines.id, { onDelete: 'cascade' });

export const pipelineDataSources = sqliteTable(
  'pipeline_data_sources',
  {
    id: id(),
    pipelineId: pipelineId(),
    dataSourceId: text()
      .notNull()
      .references(() => dataSources.id),
    /** Interval of scheduled syncs in seconds. Null disables scheduled syncs. */
    syncInterval: integer(),
    syncScheduleSetBy: text(),
    status: ingestionStatus(),
    /** Id of the sync run that last started to read the data source. */
    jobId: text(),
    statusUpdatedAt: timestamp(),
    error: json<IngestionError>(),
    lastSyncedAt: timestamp(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('pipeline_data_sources_once').on(table.pipelineId, table.dataSourceId),
    index('pipeline_data_sources_by_source').on(table.dataSourceId),
  ],
);

export type PipelineDataSource = typeof pipelineDataSources.$inferSelect;

/** Named sets of retrieval parameters of a pipeline. */
export const retrievalPresets = sqliteTable(
  'retrieval_presets',
  {
    id: id(),
    pipelineId: pipelineId(),
    name: text().notNull(),
    parameters: json<Record<string, unknown>>().notNull(),
    /**
     * Whether the pipeline's own parameters were last taken from this preset. The preset is the default only while
     * `pipelines.preset_retrieval_parameters` still has the same value.
     */
    isChosen: integer({ mode: 'boolean' }).notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('retrieval_presets_by_name').on(table.pipelineId, table.name),
    uniqueIndex('retrieval_presets_chosen').on(table.pipelineId).where(sql`is_chosen`),
  ],
);

/** Files that a client of the OpenAI protocol added to a pipeline together, so that it can follow their progress. */
export const fileBatches = sqliteTable(
  'file_batches',
  {
    id: id(),
    pipelineId: pipelineId(),
    fileIds: json<string[]>().notNull(),
    /** Time at which the files that were not indexed yet were removed again. Null if the batch was not cancelled. */
    cancelledAt: timestamp(),
    createdAt: createdAt(),
  },
  (table) => [index('file_batches_by_pipeline').on(table.pipelineId, table.createdAt, table.id)],
);

export type FileBatch = typeof fileBatches.$inferSelect;

export type RetrievalPreset = typeof retrievalPresets.$inferSelect;

export type Pipeline = typeof pipelines.$inferSelect;
