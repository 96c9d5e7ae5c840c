import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { projects } from './tenancy.ts';

const count = () => integer().notNull().default(0);

/** What a project did beside its jobs, one row a day. */
export const dailyActivity = sqliteTable(
  'daily_activity',
  {
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Of UTC: YYYY-MM-DD. */
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
