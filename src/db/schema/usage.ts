import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { projects } from './tenancy.ts';

const count = () => integer().notNull().default(0);

/** Daily activity of a project other than jobs, with one row per day. */
export const dailyActivity = sqliteTable(
  'daily_activity',
  {
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Day in UTC as YYYY-MM-DD. */
    day: text().notNull(),
    retrievals: count(),
    chats: count(),
    syncs: count(),
    documentsIndexed: count(),
    documentsFailed: count(),
    pagesIndexed: count(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.day] })],
);

export type DailyActivity = typeof dailyActivity.$inferSelect;
