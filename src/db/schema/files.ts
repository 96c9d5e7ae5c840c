import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from './columns.ts';
import { dataSources } from './connections.ts';
import { projects } from './tenancy.ts';

/** As text, so that the index below is recognized where a query sorts by it. Files without bytes come first. */
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
    /** Bytes; null until the content has arrived through its presigned URL. */
    fileSize: integer(),
    /** The name's extension without the dot, lower case. */
    fileType: text(),
    /** SHA-256 of the bytes, hex; null until the content has arrived. */
    contentHash: text(),
    contentType: text(),
    /** Where the bytes are in the bucket; null until they have arrived. */
    storageKey: text(),
    /** Where a presigned upload puts bytes that no request of ours sees: looked into when the file is used. */
    pendingKey: text(),
    /** When that upload's URL stops working. */
    pendingUntil: moment(),
    /** What the file will be called once the bytes of its presigned upload arrive. */
    pendingName: text(),
    lastModifiedAt: moment(),
    resourceInfo: json<Record<string, unknown>>(),
    permissionInfo: json<Record<string, unknown>>(),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    /** Whose external ids these are: a data source's id, or '' for the project's own uploads. */
    origin: text().notNull().default(''),
    /** The source's version of the file as it was last listed, and that of the stored bytes; null: no source's. */
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
 * What parsing made of some bytes under some configuration; files with equal bytes share it.
 * Its pages are in R2 (src/bucket/keys.ts), in ranges of fixed length.
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
    /** Set when every page range has been stored. */
    completedAt: moment(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('parses_by_content').on(table.projectId, table.contentHash, table.configHash)],
);

export type FileRow = typeof files.$inferSelect;
