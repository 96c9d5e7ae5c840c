import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { json } from './columns.ts';
import { projects } from './tenancy.ts';

/** What a project says about the language models that work for it; without a row it is the installation's. */
export const modelSettings = sqliteTable('model_settings', {
  projectId: text()
    .primaryKey()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** Use -> name of a model, or `builtin`. */
  models: json<Record<string, string>>().notNull(),
  /** Tokens that its calls may take in a day. */
  dailyTokens: integer(),
});

/** What language models did for a project, one row a day, use and model. */
export const modelUsage = sqliteTable(
  'model_usage',
  {
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Of UTC: YYYY-MM-DD. */
    day: text().notNull(),
    use: text().notNull(),
    model: text().notNull(),
    calls: integer().notNull(),
    /** Calls that failed or were given up. */
    failures: integer().notNull(),
    inputTokens: integer().notNull(),
    outputTokens: integer().notNull(),
    /** Calls that told no count, so that theirs is estimated by the length of the texts. */
    estimated: integer().notNull(),
    /** From the request to the last of the answer, all calls together. */
    milliseconds: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day, table.use, table.model] })],
);

export type ModelSettings = typeof modelSettings.$inferSelect;

export type ModelUsage = typeof modelUsage.$inferSelect;
