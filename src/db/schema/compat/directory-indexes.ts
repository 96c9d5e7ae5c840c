import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, timestamp, updatedAt } from '../columns.ts';
import { pipelines } from '../pipelines.ts';

export const SYNC_FREQUENCIES = ['manual', 'daily', 'on_source_change'] as const;

/** Pipelines that index the files of a directory, in the form of LlamaCloud's indexes. */
export const directoryIndexes = sqliteTable(
  'directory_indexes',
  {
    pipelineId: text()
      .primaryKey()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    /** Directory whose files are indexed. The index outlives its directory. */
    directoryId: text().notNull(),
    name: text().notNull(),
    description: text(),
    syncFrequency: text({ enum: SYNC_FREQUENCIES }).notNull(),
    /** Time at which the files of the pipeline were last compared with those of the directory. */
    syncedAt: timestamp(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('directory_indexes_by_directory').on(table.directoryId)],
);

export type DirectoryIndex = typeof directoryIndexes.$inferSelect;
