import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from './columns.ts';
import { dataSources } from './connections.ts';
import { files } from './files.ts';
import { type IngestionError, ingestionStatus, pipelines } from './pipelines.ts';

/** A file of the project, or a text that a client inserted into the pipeline. */
export const MEMBER_KINDS = ['file', 'text'] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];

/** Raw SQL text, so that SQLite recognises the condition of the partial index below in queries. */
export const hasExcludedKeys = sql`excluded_embed_metadata_keys <> '[]' or excluded_llm_metadata_keys <> '[]'`;

/**
 * All members of pipelines, one row each. Columns of one kind are null in rows of the other;
 * src/db/pipeline-members.ts lists the columns of each kind with their types.
 */
export const pipelineMembers = sqliteTable(
  'pipeline_members',
  {
    id: id(),
    pipelineId: text()
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    kind: text({ enum: MEMBER_KINDS }).notNull(),
    /** Id in chunks and index entries: the file's id, or any text that the client chose. */
    documentId: text().notNull(),
    status: ingestionStatus(),
    /** Run that last started to index the member. */
    jobId: text(),
    statusUpdatedAt: moment(),
    error: json<IngestionError>(),
    chunkCount: integer(),
    /** Inputs of the last permanent failure, which are not tried again. */
    failedFingerprint: text(),
    /** When the metadata that the index shows was last changed. */
    describedAt: moment().notNull().default(sql`0`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),

    fileId: text().references(() => files.id),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    customMetadata: json<Record<string, unknown>>(),
    /** From the pipeline's metadata table; `customMetadata` wins over it. */
    tableMetadata: json<Record<string, unknown>>(),
    /** Facts a reader should know although the file succeeded, such as pages that need OCR. */
    statusDetails: json<Record<string, unknown>>(),
    indexedPageCount: integer(),
    /** The newest run in which the data source still listed the file. */
    sourceGeneration: integer(),

    contentHash: text(),
    /** Which text in the bucket is its own. Each write brings a new one, so that no other can lose it. */
    textId: text(),
    /** The text itself where it is short; longer ones are in the bucket. */
    text: text(),
    metadata: json<Record<string, unknown>>(),
    excludedEmbedMetadataKeys: json<string[]>(),
    excludedLlmMetadataKeys: json<string[]>(),
    pagePositions: json<number[]>(),
  },
  (table) => [
    uniqueIndex('pipeline_members_once').on(table.pipelineId, table.documentId, table.kind),
    index('pipeline_members_by_status').on(
      table.pipelineId,
      table.kind,
      table.status,
      table.createdAt,
      table.id,
    ),
    index('pipeline_members_by_creation').on(table.pipelineId, table.kind, table.createdAt, table.id),
    /** Files and texts as one list. */
    index('pipeline_members_by_arrival').on(table.pipelineId, table.createdAt, table.id),
    index('pipeline_members_by_source').on(
      table.pipelineId,
      table.kind,
      table.dataSourceId,
      table.createdAt,
      table.id,
    ),
    index('pipeline_members_by_file').on(table.fileId),
    index('pipeline_members_with_excluded_keys').on(table.pipelineId).where(hasExcludedKeys),
    check(
      'pipeline_members_of_kind',
      sql`case kind
        when 'file' then file_id is document_id and text_id is null and text is null
        when 'text' then file_id is null and text_id is not null and content_hash is not null
          and metadata is not null and excluded_embed_metadata_keys is not null
          and excluded_llm_metadata_keys is not null
        else false end`,
    ),
  ],
);
