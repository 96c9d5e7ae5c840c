import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { json } from './columns.ts';
import { projects } from './tenancy.ts';

/** Language model settings of a project. Without a row, the settings of the installation apply. */
export const modelSettings = sqliteTable('model_settings', {
  projectId: text()
    .primaryKey()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** Model name by use; `builtin` selects the built-in implementation. */
  models: json<Record<string, string>>().notNull(),
  /** Maximum number of tokens per day. Null applies the installation's default. */
  dailyTokens: integer(),
});

/** Language model usage of a project, one row per day, use and model. */
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
    /** Number of failed or cancelled calls. */
    failures: integer().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /**
     * Number of calls whose model did not report its usage. Their tokens are estimated from the length of the
     * texts.
     */
    estimated: integer().notNull(),
    /** Total duration of all calls in milliseconds. */
    milliseconds: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day, table.use, table.model] })],
);

export type ModelSettings = typeof modelSettings.$inferSelect;

export type ModelUsage = typeof modelUsage.$inferSelect;
