import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/**
 * Data sinks (vector stores) of a project. src/services/secrets/secret-fields.ts encrypts the secrets inside
 * `component`.
 */
export const dataSinks = sqliteTable(
  'data_sinks',
  {
    id: id(),
    projectId: projectId(),
    name: text().notNull(),
    sinkType: text().notNull(),
    component: json<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('data_sinks_by_project').on(table.projectId, table.createdAt, table.id)],
);

export const dataSources = sqliteTable(
  'data_sources',
  {
    id: id(),
    projectId: projectId(),
    name: text().notNull(),
    sourceType: text().notNull(),
    component: json<Record<string, unknown>>().notNull(),
    customMetadata: json<Record<string, unknown>>(),
    versionMetadata: json<{ reader_version?: string }>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('data_sources_by_project').on(table.projectId, table.createdAt, table.id)],
);

export const embeddingModelConfigs = sqliteTable(
  'embedding_model_configs',
  {
    id: id(),
    projectId: projectId(),
    name: text().notNull(),
    embeddingConfig: json<{ type: string; component: Record<string, unknown> }>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('embedding_model_configs_by_project').on(table.projectId, table.createdAt, table.id)],
);

export type EmbeddingModelConfig = typeof embeddingModelConfigs.$inferSelect;

export type DataSink = typeof dataSinks.$inferSelect;

export type DataSource = typeof dataSources.$inferSelect;
