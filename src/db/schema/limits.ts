import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/**
 * Used storage of projects that have a limit on files or bytes. Triggers in migrations/0002_limits.sql keep
 * the numbers current. A project without a row is not counted.
 */
export const projectStorage = sqliteTable('project_storage', {
  projectId: projectId().primaryKey(),
  files: integer().notNull(),
  bytes: integer().notNull(),
});

/** Pages used per day by projects with a page limit, one row per day. */
export const projectPages = sqliteTable(
  'project_pages',
  {
    projectId: projectId(),
    /** UTC day as YYYY-MM-DD. */
    day: text().notNull(),
    pages: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day] })],
);
