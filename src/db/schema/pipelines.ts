import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from '#src/db/columns.ts';
import { dataSinks, dataSources, embeddingModelConfigs } from './connections.ts';
import { files } from './files.ts';
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

/** Why a file, document or run failed, in the specification's words. */
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

const ingestionStatus = () => text({ enum: INGESTION_STATUSES }).notNull().default('NOT_STARTED');

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
    /** Null: the managed sink. */
    dataSinkId: text().references(() => dataSinks.id),
    transformConfig: json<Record<string, unknown>>().notNull(),
    parseParameters: json<Record<string, unknown>>().notNull(),
    presetRetrievalParameters: json<Record<string, unknown>>().notNull(),
    sparseModelConfig: json<Record<string, unknown>>(),
    metadataConfig: json<{
      excluded_embed_metadata_keys?: string[];
      excluded_llm_metadata_keys?: string[];
    }>(),
    managedPipelineId: text(),
    /** Hash of each configuration's canonical form. */
    embeddingConfigHash: text().notNull(),
    parsingConfigHash: text().notNull(),
    transformConfigHash: text().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // A pipeline that is on its way out has given its name free.
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
    /** Seconds; null: only on request. */
    syncInterval: integer(),
    syncScheduleSetBy: text(),
    status: ingestionStatus(),
    statusUpdatedAt: moment(),
    error: json<IngestionError>(),
    lastSyncedAt: moment(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('pipeline_data_sources_once').on(table.pipelineId, table.dataSourceId),
    index('pipeline_data_sources_by_source').on(table.dataSourceId),
  ],
);

export const pipelineFiles = sqliteTable(
  'pipeline_files',
  {
    id: id(),
    pipelineId: pipelineId(),
    fileId: text()
      .notNull()
      .references(() => files.id),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    customMetadata: json<Record<string, unknown>>(),
    /** From the pipeline's metadata table; `customMetadata` wins over it. */
    tableMetadata: json<Record<string, unknown>>(),
    status: ingestionStatus(),
    statusUpdatedAt: moment(),
    error: json<IngestionError>(),
    /** Facts a reader should know although the file succeeded, such as pages that need OCR. */
    statusDetails: json<Record<string, unknown>>(),
    indexedPageCount: integer(),
    chunkCount: integer(),
    /** The inputs of the last attempt that ended in an error no retry can help; not tried again with these. */
    failedFingerprint: text(),
    /** The newest run in which the data source still listed the file. */
    sourceGeneration: integer(),
    /** When the metadata that the index shows was last changed. */
    describedAt: moment().notNull().default(sql`0`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('pipeline_files_once').on(table.pipelineId, table.fileId),
    index('pipeline_files_by_status').on(table.pipelineId, table.status, table.createdAt, table.id),
    index('pipeline_files_by_creation').on(table.pipelineId, table.createdAt, table.id),
    index('pipeline_files_by_source').on(table.pipelineId, table.dataSourceId, table.createdAt, table.id),
    index('pipeline_files_by_file').on(table.fileId),
  ],
);

/** As text, so that the index below is recognized where a query asks for it. */
export const hasExcludedKeys = sql`excluded_embed_metadata_keys <> '[]' or excluded_llm_metadata_keys <> '[]'`;

/** Text that a client put into the pipeline itself. The text is in R2. */
export const pipelineDocuments = sqliteTable(
  'pipeline_documents',
  {
    pipelineId: pipelineId(),
    /** The client's own id, any string. */
    documentId: text().notNull(),
    contentHash: text().notNull(),
    /** Which text in the bucket is its own. Each write brings a new one, so that no other can lose it. */
    textId: text().notNull(),
    metadata: json<Record<string, unknown>>().notNull(),
    excludedEmbedMetadataKeys: json<string[]>().notNull(),
    excludedLlmMetadataKeys: json<string[]>().notNull(),
    pagePositions: json<number[]>(),
    status: ingestionStatus(),
    statusUpdatedAt: moment(),
    error: json<IngestionError>(),
    chunkCount: integer(),
    failedFingerprint: text(),
    describedAt: moment().notNull().default(sql`0`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.pipelineId, table.documentId] }),
    index('pipeline_documents_by_creation').on(table.pipelineId, table.createdAt),
    index('pipeline_documents_by_status').on(table.pipelineId, table.status),
    index('pipeline_documents_with_excluded_keys').on(table.pipelineId).where(hasExcludedKeys),
  ],
);
