import { sql } from 'drizzle-orm';
import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { files } from './files.ts';
import { projects } from './tenancy.ts';

export const DIRECTORY_TYPES = ['user', 'ephemeral'] as const;

/** Named sets of files of a project. */
export const directories = sqliteTable(
  'directories',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    description: text(),
    /** An `ephemeral` directory is deleted when it expires. */
    type: text({ enum: DIRECTORY_TYPES }).notNull(),
    systemMetadata: json<Record<string, unknown>>(),
    /** Time at which the directory becomes invisible. Null for directories that do not expire. */
    expiresAt: timestamp(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('directories_by_project').on(table.projectId, table.createdAt, table.id),
    index('directories_by_expiry').on(table.expiresAt).where(sql`expires_at is not null`),
  ],
);

export type DirectoryFileMetadata = Record<string, string | number | boolean | null | string[]>;

/** Files of directories. A directory contains each file at most once. */
export const directoryFiles = sqliteTable(
  'directory_files',
  {
    directoryId: text()
      .notNull()
      .references(() => directories.id, { onDelete: 'cascade' }),
    fileId: text()
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    /** Project of the directory and of the file. */
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Name of the caller for the file, which is unique within the directory. */
    uniqueId: text().notNull(),
    displayName: text().notNull(),
    metadata: json<DirectoryFileMetadata>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.directoryId, table.fileId] }),
    uniqueIndex('directory_files_by_unique_id').on(table.directoryId, table.uniqueId),
    index('directory_files_by_creation').on(table.directoryId, table.createdAt, table.fileId),
    index('directory_files_by_project').on(table.projectId, table.directoryId, table.fileId),
    index('directory_files_by_file').on(table.fileId),
  ],
);

export type Directory = typeof directories.$inferSelect;
export type DirectoryFile = typeof directoryFiles.$inferSelect;
