import {
  and,
  type Column,
  type ColumnBaseConfig,
  type ColumnDataType,
  eq,
  type GetColumnData,
  inArray,
} from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { MEMBER_KINDS, type MemberKind, pipelineMembers } from './schema/index.ts';

type Rows<Columns extends Record<string, Column>> = { [Name in keyof Columns]: GetColumnData<Columns[Name]> };

/**
 * Types a column as not null. The table's check constraint guarantees that rows of this kind have a value.
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

/** Columns of rows with kind `file`. */
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

/** Columns of rows with kind `text`. */
export const textMemberColumns = {
  ...sharedColumns,
  contentHash: asNotNull(pipelineMembers.contentHash),
  textId: asNotNull(pipelineMembers.textId),
  /** Null if the text is stored in the bucket. */
  text: pipelineMembers.text,
  metadata: asNotNull(pipelineMembers.metadata),
  excludedEmbedMetadataKeys: asNotNull(pipelineMembers.excludedEmbedMetadataKeys),
  excludedLlmMetadataKeys: asNotNull(pipelineMembers.excludedLlmMetadataKeys),
  pagePositions: pipelineMembers.pagePositions,
};
export type TextMember = Rows<typeof textMemberColumns>;

/**
 * Returns the condition that selects all files and texts of a pipeline. The condition lists both kinds, so
 * that SQLite can use indexes that begin with the kind.
 */
export const whereMembers = (pipelineId: string) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), inArray(pipelineMembers.kind, MEMBER_KINDS));

export const whereFiles = (pipelineId: string) => whereKind(pipelineId, 'file');
export const whereTexts = (pipelineId: string) => whereKind(pipelineId, 'text');

const whereKind = (pipelineId: string, kind: MemberKind) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), eq(pipelineMembers.kind, kind));

/**
 * Returns the condition that selects one file. The id alone does not suffice, because a client may give a
 * text the id of a file.
 */
export const whereFile = (pipelineId: string, fileId: string) =>
  and(whereFiles(pipelineId), eq(pipelineMembers.documentId, fileId));
export const whereText = (pipelineId: string, documentId: string) =>
  and(whereTexts(pipelineId), eq(pipelineMembers.documentId, documentId));
