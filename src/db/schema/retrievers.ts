import { sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

/** Retrievers, which search several pipelines together and return one result. */
export const retrievers = sqliteTable(
  'retrievers',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    pipelines: json<Record<string, unknown>[]>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex('retrievers_by_name').on(table.projectId, table.name)],
);

export type Retriever = typeof retrievers.$inferSelect;
