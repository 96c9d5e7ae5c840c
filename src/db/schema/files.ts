import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { dataSources } from './connections.ts';
import { projects } from './tenancy.ts';

/**
 * SQL expression for a file's size, or -1 for a file without bytes. SQLite uses the index over this
 * expression only if a query contains exactly the same text.
 */
export const sizeOrNone = sql`case when file_size is null then -1 else file_size end`;

export const files = sqliteTable(
  'files',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Folder of the file, such as `reports/2026`. An empty string stands for the root. */
    folder: text().notNull().default(''),
    externalFileId: text(),
    /** File size in bytes. Null until a presigned upload has arrived. */
    fileSize: integer(),
    /** File name extension in lower case, without the dot. */
    fileType: text(),
    /** SHA-256 hash of the file's bytes in hexadecimal. Null until the bytes have arrived. */
    contentHash: text(),
    contentType: text(),
    /** Object key of the file's bytes in the bucket. Null until the bytes have arrived. */
    storageKey: text(),
    /**
     * Object key to which a client uploads through a presigned URL. The service cannot observe the upload, so
     * it checks the key when the file is used.
     */
    pendingKey: text(),
    /** Expiry time of the presigned upload URL. */
    pendingUntil: timestamp(),
    /** File name that takes effect when the presigned upload arrives. */
    pendingName: text(),
    lastModifiedAt: timestamp(),
    resourceInfo: json<Record<string, unknown>>(),
    permissionInfo: json<Record<string, unknown>>(),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    /** Data source in which the file's external id is unique. An empty string stands for uploads. */
    origin: text().notNull().default(''),
    /**
     * Version of the file that the data source listed last. `fetchedVersion` is the version whose bytes are
     * stored. Both are null for files without a data source.
     */
    sourceVersion: text(),
    fetchedVersion: text(),
    purpose: text(),
    expiresAt: timestamp(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('files_by_project').on(table.projectId, table.createdAt, table.id),
    index('files_by_name').on(table.projectId, table.name, table.id),
    index('files_by_folder').on(table.projectId, table.folder, table.createdAt, table.id),
    index('files_by_size').on(table.projectId, sizeOrNone, table.id),
    index('files_by_source').on(table.projectId, table.dataSourceId, table.createdAt, table.id),
    index('files_by_id').on(table.projectId, table.id),
    index('files_by_content').on(table.projectId, table.contentHash),
    index('files_by_pending_upload').on(table.projectId).where(sql`pending_key is not null`),
    uniqueIndex('files_by_external_id')
      .on(table.projectId, table.externalFileId, table.origin)
      .where(sql`external_file_id is not null`),
  ],
);

/** Tags of files. A file has each tag at most once. */
export const fileTags = sqliteTable(
  'file_tags',
  {
    fileId: text()
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    tag: text().notNull(),
    /** Project of the file, so that the tags of a project can be counted without reading its files. */
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.tag] }),
    index('file_tags_by_tag').on(table.projectId, table.tag, table.fileId),
  ],
);

/**
 * Parse results, identified by the content of a file and the parse configuration. Files with equal bytes
 * share them. Ranges of pages are stored as objects in R2, under keys that src/bucket/keys.ts defines.
 */
export const parses = sqliteTable(
  'parses',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    contentHash: text().notNull(),
    configHash: text().notNull(),
    kind: text().notNull(),
    pageCount: integer().notNull(),
    metadata: json<Record<string, unknown>>().notNull(),
    /** Time at which all page ranges of the parse result were stored. Null before this time. */
    completedAt: timestamp(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('parses_by_content').on(table.projectId, table.contentHash, table.configHash)],
);

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

export type FileRow = typeof files.$inferSelect;
export type Directory = typeof directories.$inferSelect;
export type DirectoryFile = typeof directoryFiles.$inferSelect;
