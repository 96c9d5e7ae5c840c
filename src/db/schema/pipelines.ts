import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from './columns.ts';
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
    /** Null: the managed sink. */
    dataSinkId: text().references(() => dataSinks.id),
    transformConfig: json<Record<string, unknown>>().notNull(),
    parseParameters: json<Record<string, unknown>>().notNull(),
    /** A client of the hosted original set the parse parameters: their webhooks are sent as that sends them. */
    asOriginal: integer({ mode: 'boolean' }).notNull().default(false),
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
    /** The run that last set out to read it. */
    jobId: text(),
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

export type PipelineDataSource = typeof pipelineDataSources.$inferSelect;

export type Pipeline = typeof pipelines.$inferSelect;
