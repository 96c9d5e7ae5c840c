import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { json } from './columns.ts';
import { projects } from './tenancy.ts';

/** Language model settings of a project. Without a row those of the installation apply. */
export const modelSettings = sqliteTable('model_settings', {
  projectId: text()
    .primaryKey()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** Model name by use; `builtin` selects the built-in implementation. */
  models: json<Record<string, string>>().notNull(),
  /** Daily token limit. */
  dailyTokens: integer(),
});

/** Language model usage of a project, one row per day, use and model. */
export const modelUsage = sqliteTable(
  'model_usage',
  {
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** UTC day as YYYY-MM-DD. */
    day: text().notNull(),
    use: text().notNull(),
    model: text().notNull(),
    calls: integer().notNull(),
    /** Number of failed or cancelled calls. */
    failures: integer().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /** Number of calls without reported usage, whose tokens are estimated from the length of the texts. */
    estimated: integer().notNull(),
    /** Total duration of all calls. */
    milliseconds: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day, table.use, table.model] })],
);

export type ModelSettings = typeof modelSettings.$inferSelect;

export type ModelUsage = typeof modelUsage.$inferSelect;
