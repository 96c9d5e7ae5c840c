import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { json } from './columns.ts';
import { projects } from './tenancy.ts';

/** Language model settings of a project. Projects without a row use the settings of the installation. */
export const modelSettings = sqliteTable('model_settings', {
  projectId: text()
    .primaryKey()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** Model names by purpose. The name `builtin` selects the built-in code instead of a model. */
  models: json<Record<string, string>>().notNull(),
  /** Maximum number of language model tokens per day. Null means the installation's default. */
  dailyTokens: integer(),
});

/** Language model usage of a project, with one row per day, purpose and model. */
export const modelUsage = sqliteTable(
  'model_usage',
  {
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    day: text().notNull(),
    use: text().notNull(),
    model: text().notNull(),
    calls: integer().notNull(),
    /** Number of model calls that failed or were cancelled. */
    failures: integer().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /**
     * Number of model calls without reported usage. Their tokens are estimated from the length of the texts.
     */
    estimated: integer().notNull(),
    /** Total duration of all model calls in milliseconds. */
    milliseconds: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day, table.use, table.model] })],
);

export type ModelSettings = typeof modelSettings.$inferSelect;

export type ModelUsage = typeof modelUsage.$inferSelect;
