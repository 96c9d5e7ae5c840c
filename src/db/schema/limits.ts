import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/**
 * Storage that projects use, for projects with a limit on files or bytes. Database triggers in
 * migrations/0002_limits.sql update the numbers. Projects without a row have no such limit.
 */
export const projectStorage = sqliteTable('project_storage', {
  projectId: projectId().primaryKey(),
  files: integer().notNull(),
  bytes: integer().notNull(),
});

/** Number of pages used per day by projects with a page limit, with one row per day. */
export const projectPages = sqliteTable(
  'project_pages',
  {
    projectId: projectId(),
    /** Day in UTC as YYYY-MM-DD. */
    day: text().notNull(),
    pages: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day] })],
);
