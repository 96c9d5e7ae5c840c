import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/**
 * What a project whose files or bytes are limited holds, so that nobody has to count its files to let one more in. The
 * triggers of migrations/0002_limits.sql keep the row right, whoever writes `files`; without one nothing is kept.
 */
export const projectStorage = sqliteTable('project_storage', {
  projectId: projectId().primaryKey(),
  files: integer().notNull(),
  bytes: integer().notNull(),
});

/** Pages that a project whose pages are limited has taken of a day: a row a day. */
export const projectPages = sqliteTable(
  'project_pages',
  {
    projectId: projectId(),
    /** Of UTC: YYYY-MM-DD. */
    day: text().notNull(),
    pages: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day] })],
);
