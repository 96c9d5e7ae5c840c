import { eq } from 'drizzle-orm';
import {
  apiKeys,
  classifyJobs,
  configurations,
  dailyActivity,
  dataSinks,
  dataSources,
  embeddingModelConfigs,
  extractJobs,
  files,
  modelSettings,
  modelUsage,
  parseJobs,
  pipelineDataSources,
  pipelines,
  retrievers,
  syncRuns,
  usageRecords,
  webhookConfigs,
  webhookDeliveries,
} from '#src/db/schema/index.ts';
import type { Rows } from './rows.ts';

/** What a project owns, by the name of its file in the export; files and pipelines have folders besides. */
export const PROJECT_TABLES = {
  files: (id) => ({ table: files, where: eq(files.projectId, id), key: [files.createdAt, files.id] }),
  pipelines: (id) => ({
    table: pipelines,
    where: eq(pipelines.projectId, id),
    key: [pipelines.createdAt, pipelines.id],
  }),
  retrievers: (id) => ({ table: retrievers, where: eq(retrievers.projectId, id), key: [retrievers.name] }),
  data_sinks: (id) => ({
    table: dataSinks,
    where: eq(dataSinks.projectId, id),
    key: [dataSinks.createdAt, dataSinks.id],
  }),
  data_sources: (id) => ({
    table: dataSources,
    where: eq(dataSources.projectId, id),
    key: [dataSources.createdAt, dataSources.id],
  }),
  embedding_model_configs: (id) => ({
    table: embeddingModelConfigs,
    where: eq(embeddingModelConfigs.projectId, id),
    key: [embeddingModelConfigs.createdAt, embeddingModelConfigs.id],
  }),
  parse_jobs: (id) => ({
    table: parseJobs,
    where: eq(parseJobs.projectId, id),
    key: [parseJobs.createdAt, parseJobs.id],
  }),
  extract_jobs: (id) => ({
    table: extractJobs,
    where: eq(extractJobs.projectId, id),
    key: [extractJobs.createdAt, extractJobs.id],
  }),
  classify_jobs: (id) => ({
    table: classifyJobs,
    where: eq(classifyJobs.projectId, id),
    key: [classifyJobs.createdAt, classifyJobs.id],
  }),
  configurations: (id) => ({
    table: configurations,
    where: eq(configurations.projectId, id),
    key: [configurations.createdAt, configurations.id],
  }),
  webhook_configs: (id) => ({
    table: webhookConfigs,
    where: eq(webhookConfigs.projectId, id),
    key: [webhookConfigs.createdAt, webhookConfigs.id],
  }),
  webhook_deliveries: (id) => ({
    table: webhookDeliveries,
    where: eq(webhookDeliveries.projectId, id),
    key: [webhookDeliveries.createdAt, webhookDeliveries.id],
  }),
  usage: (id) => ({
    table: usageRecords,
    where: eq(usageRecords.projectId, id),
    key: [usageRecords.createdAt, usageRecords.id],
  }),
  daily_usage: (id) => ({
    table: dailyActivity,
    where: eq(dailyActivity.projectId, id),
    key: [dailyActivity.day],
  }),
  model_usage: (id) => ({
    table: modelUsage,
    where: eq(modelUsage.projectId, id),
    key: [modelUsage.day, modelUsage.use, modelUsage.model],
  }),
  model_settings: (id) => ({
    table: modelSettings,
    where: eq(modelSettings.projectId, id),
    key: [modelSettings.projectId],
  }),
  api_keys: (id) => ({ table: apiKeys, where: eq(apiKeys.projectId, id), key: [apiKeys.id] }),
} as const satisfies Record<string, (projectId: string) => Rows>;

/** What is told of each pipeline, in its folder; its files and documents besides. */
export const PIPELINE_TABLES = {
  data_sources: (id) => ({
    table: pipelineDataSources,
    where: eq(pipelineDataSources.pipelineId, id),
    key: [pipelineDataSources.id],
  }),
  jobs: (id) => ({
    table: syncRuns,
    where: eq(syncRuns.pipelineId, id),
    key: [syncRuns.startedAt, syncRuns.id],
  }),
} as const satisfies Record<string, (pipelineId: string) => Rows>;
