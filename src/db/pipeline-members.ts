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

/** Types a column as not null, because the table's check guarantees a value for rows of this kind. */
const present = <Config extends ColumnBaseConfig<ColumnDataType, string>>(column: SQLiteColumn<Config>) =>
  column as unknown as SQLiteColumn<Omit<Config, 'notNull'> & { notNull: true }>;

const shared = {
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

/** Columns of files. */
export const fileMember = {
  ...shared,
  fileId: present(pipelineMembers.fileId),
  dataSourceId: pipelineMembers.dataSourceId,
  customMetadata: pipelineMembers.customMetadata,
  tableMetadata: pipelineMembers.tableMetadata,
  statusDetails: pipelineMembers.statusDetails,
  indexedPageCount: pipelineMembers.indexedPageCount,
  sourceGeneration: pipelineMembers.sourceGeneration,
};
export type FileMember = Rows<typeof fileMember>;

/** Columns of inserted texts. */
export const textMember = {
  ...shared,
  contentHash: present(pipelineMembers.contentHash),
  textId: present(pipelineMembers.textId),
  /** Null if the text is in the bucket. */
  text: pipelineMembers.text,
  metadata: present(pipelineMembers.metadata),
  excludedEmbedMetadataKeys: present(pipelineMembers.excludedEmbedMetadataKeys),
  excludedLlmMetadataKeys: present(pipelineMembers.excludedLlmMetadataKeys),
  pagePositions: pipelineMembers.pagePositions,
};
export type TextMember = Rows<typeof textMember>;

/**
 * Selects all members of a pipeline. The kinds are listed, so that indexes which begin with the kind are
 * used.
 */
export const membersOf = (pipelineId: string) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), inArray(pipelineMembers.kind, MEMBER_KINDS));

export const filesOf = (pipelineId: string) => ofKind(pipelineId, 'file');
export const textsOf = (pipelineId: string) => ofKind(pipelineId, 'text');

const ofKind = (pipelineId: string, kind: MemberKind) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), eq(pipelineMembers.kind, kind));

/** Selects one file. Its id alone is not enough, because a client may use the id of a file for a text. */
export const isFileOf = (pipelineId: string, fileId: string) =>
  and(filesOf(pipelineId), eq(pipelineMembers.documentId, fileId));
export const isTextOf = (pipelineId: string, documentId: string) =>
  and(textsOf(pipelineId), eq(pipelineMembers.documentId, documentId));
