import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { dataSources } from './connections.ts';
import { projects } from './tenancy.ts';

/**
 * File size as raw SQL text, with -1 for files without bytes. SQLite uses the index over this expression only
 * if a query contains exactly this text.
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
    externalFileId: text(),
    /** Size in bytes; null until the presigned upload has arrived. */
    fileSize: integer(),
    /** File name extension in lower case, without the dot. */
    fileType: text(),
    /** Hexadecimal SHA-256 of the bytes; null until they have arrived. */
    contentHash: text(),
    contentType: text(),
    /** Bucket key of the bytes; null until the bytes have arrived. */
    storageKey: text(),
    /**
     * Bucket key of a presigned upload. The service cannot observe the upload, so it checks this key when the
     * file is used.
     */
    pendingKey: text(),
    /** Time at which the upload URL expires. */
    pendingUntil: timestamp(),
    /** Name that the file gets when its presigned upload arrives. */
    pendingName: text(),
    lastModifiedAt: timestamp(),
    resourceInfo: json<Record<string, unknown>>(),
    permissionInfo: json<Record<string, unknown>>(),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    /** Namespace of external ids: the id of a data source, or an empty string for uploads. */
    origin: text().notNull().default(''),
    /**
     * Version of the file in the data source's last listing, followed by the version of the stored bytes.
     * Both are null for files without a data source.
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

/**
 * Parse results by content and configuration. Files with equal bytes share them. The pages are stored in R2
 * in ranges of fixed length; src/bucket/keys.ts has their keys.
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
    /** Time at which all page ranges were stored; null until then. */
    completedAt: timestamp(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('parses_by_content').on(table.projectId, table.contentHash, table.configHash)],
);

export type FileRow = typeof files.$inferSelect;
