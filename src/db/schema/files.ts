import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from './columns.ts';
import { dataSources } from './connections.ts';
import { projects } from './tenancy.ts';

/** Raw text, so that SQLite recognises the indexed expression in queries. Files without bytes come first. */
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
    /** Extension of the name in lower case, without the dot. */
    fileType: text(),
    /** Hexadecimal SHA-256 of the bytes; null until they have arrived. */
    contentHash: text(),
    contentType: text(),
    /** Bucket key of the bytes; null until they have arrived. */
    storageKey: text(),
    /**
     * Bucket key of a presigned upload, which the service cannot observe. It is checked when the file is
     * used.
     */
    pendingKey: text(),
    /** Expiry of the upload URL. */
    pendingUntil: moment(),
    /** Name that the file gets when its presigned upload arrives. */
    pendingName: text(),
    lastModifiedAt: moment(),
    resourceInfo: json<Record<string, unknown>>(),
    permissionInfo: json<Record<string, unknown>>(),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    /** Namespace of external ids: the id of a data source, or '' for uploads. */
    origin: text().notNull().default(''),
    /** Source version in the last listing, and that of the stored bytes; null without a source. */
    sourceVersion: text(),
    fetchedVersion: text(),
    purpose: text(),
    expiresAt: moment(),
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
 * Parse results by content and configuration; files with equal bytes share them. Pages are in R2
 * (src/bucket/keys.ts) in ranges of fixed length.
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
    /** Set once all page ranges are stored. */
    completedAt: moment(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('parses_by_content').on(table.projectId, table.contentHash, table.configHash)],
);

export type FileRow = typeof files.$inferSelect;
