import {
  and,
  type asc,
  type Column,
  type ColumnBaseConfig,
  type ColumnDataType,
  eq,
  type GetColumnData,
  inArray,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from './client.ts';
import { MEMBER_KINDS, type MemberKind, pipelineMembers } from './schema/index.ts';

type Rows<Columns extends Record<string, Column>> = { [Name in keyof Columns]: GetColumnData<Columns[Name]> };

/**
 * Declares a column's type as not null. A check constraint of the table guarantees a value in rows of the
 * kind concerned.
 */
const asNotNull = <Config extends ColumnBaseConfig<ColumnDataType, string>>(column: SQLiteColumn<Config>) =>
  column as unknown as SQLiteColumn<Omit<Config, 'notNull'> & { notNull: true }>;

const sharedColumns = {
  id: pipelineMembers.id,
  pipelineId: pipelineMembers.pipelineId,
  documentId: pipelineMembers.documentId,
  status: pipelineMembers.status,
  jobId: pipelineMembers.jobId,
  statusUpdatedAt: pipelineMembers.statusUpdatedAt,
  error: pipelineMembers.error,
  chunkCount: pipelineMembers.chunkCount,
  failedFingerprint: pipelineMembers.failedFingerprint,
  describedAt: pipelineMembers.describedAt,
  createdAt: pipelineMembers.createdAt,
  updatedAt: pipelineMembers.updatedAt,
};

/** Columns of pipeline members that are files. */
export const fileMemberColumns = {
  ...sharedColumns,
  fileId: asNotNull(pipelineMembers.fileId),
  dataSourceId: pipelineMembers.dataSourceId,
  customMetadata: pipelineMembers.customMetadata,
  tableMetadata: pipelineMembers.tableMetadata,
  statusDetails: pipelineMembers.statusDetails,
  indexedPageCount: pipelineMembers.indexedPageCount,
  sourceGeneration: pipelineMembers.sourceGeneration,
};
export type FileMember = Rows<typeof fileMemberColumns>;

/** Columns of pipeline members that are text documents. */
export const textMemberColumns = {
  ...sharedColumns,
  contentHash: asNotNull(pipelineMembers.contentHash),
  textId: asNotNull(pipelineMembers.textId),
  /** Text of the document. Null if the text is stored in the bucket. */
  text: pipelineMembers.text,
  metadata: asNotNull(pipelineMembers.metadata),
  excludedEmbedMetadataKeys: asNotNull(pipelineMembers.excludedEmbedMetadataKeys),
  excludedLlmMetadataKeys: asNotNull(pipelineMembers.excludedLlmMetadataKeys),
  pagePositions: pipelineMembers.pagePositions,
};
export type TextMember = Rows<typeof textMemberColumns>;

/**
 * Returns the SQL condition for all files and text documents of a pipeline. It lists both kinds, so that
 * SQLite can use indexes that begin with the kind.
 */
export const whereMembers = (pipelineId: string) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), inArray(pipelineMembers.kind, MEMBER_KINDS));

export const whereFiles = (pipelineId: string) => whereKind(pipelineId, 'file');
export const whereTexts = (pipelineId: string) => whereKind(pipelineId, 'text');

/** The kind is a literal and no parameter, so that SQLite can use the partial index of files. */
const whereKind = (pipelineId: string, kind: MemberKind) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), sql`${pipelineMembers.kind} = ${sql.raw(`'${kind}'`)}`);

/**
 * Selects a page of ids of a pipeline's files and text documents together, sorted by creation. SQLite merges the two
 * kinds, which one index has in this order, so it reads no more rows than the page and the skipped ones.
 */
export function selectIdsOfBothKinds(
  { db }: { db: Database },
  pipelineId: string,
  sorted: typeof asc,
  { limit, skip = 0 }: { limit: number; skip?: number },
) {
  const { id, createdAt } = pipelineMembers;
  const selectKind = (where: SQL | undefined) =>
    db.select({ id, createdAt }).from(pipelineMembers).where(where);
  return selectKind(whereFiles(pipelineId))
    .unionAll(selectKind(whereTexts(pipelineId)))
    .orderBy(sorted(createdAt), sorted(id))
    .limit(limit)
    .offset(skip)
    .as('page');
}

/**
 * Returns the SQL condition for one file of a pipeline. Its id is not enough, because a client may give a
 * text document the same id.
 */
export const whereFile = (pipelineId: string, fileId: string) =>
  and(whereFiles(pipelineId), eq(pipelineMembers.documentId, fileId));
export const whereText = (pipelineId: string, documentId: string) =>
  and(whereTexts(pipelineId), eq(pipelineMembers.documentId, documentId));
