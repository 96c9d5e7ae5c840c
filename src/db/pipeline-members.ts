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

/** The table's check sees to it that rows of the kind have a value here. */
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

/** What queries for files select. */
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

/** What queries for texts select. */
export const textMember = {
  ...shared,
  contentHash: present(pipelineMembers.contentHash),
  textId: present(pipelineMembers.textId),
  /** Null: it is in the bucket. */
  text: pipelineMembers.text,
  metadata: present(pipelineMembers.metadata),
  excludedEmbedMetadataKeys: present(pipelineMembers.excludedEmbedMetadataKeys),
  excludedLlmMetadataKeys: present(pipelineMembers.excludedLlmMetadataKeys),
  pagePositions: pipelineMembers.pagePositions,
};
export type TextMember = Rows<typeof textMember>;

/** Everything the pipeline holds. The kinds are named so that indexes which begin with them are of use. */
export const membersOf = (pipelineId: string) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), inArray(pipelineMembers.kind, MEMBER_KINDS));

export const filesOf = (pipelineId: string) => ofKind(pipelineId, 'file');
export const textsOf = (pipelineId: string) => ofKind(pipelineId, 'text');

const ofKind = (pipelineId: string, kind: MemberKind) =>
  and(eq(pipelineMembers.pipelineId, pipelineId), eq(pipelineMembers.kind, kind));

/** One of them. A client may have called a text by the id of a file, so that an id alone does not tell. */
export const isFileOf = (pipelineId: string, fileId: string) =>
  and(filesOf(pipelineId), eq(pipelineMembers.documentId, fileId));
export const isTextOf = (pipelineId: string, documentId: string) =>
  and(textsOf(pipelineId), eq(pipelineMembers.documentId, documentId));
