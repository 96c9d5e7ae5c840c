import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { dataSources } from './connections.ts';
import { files } from './files.ts';
import { type IngestionError, ingestionStatus, pipelines } from './pipelines.ts';

/**
 * Kinds of pipeline members: `file` is a file of the project, `text` is a text that a client inserted into
 * the pipeline.
 */
export const MEMBER_KINDS = ['file', 'text'] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];

/**
 * Condition as raw SQL text. SQLite uses the partial index below only if a query contains exactly this text.
 */
export const hasExcludedKeys = sql`excluded_embed_metadata_keys <> '[]' or excluded_llm_metadata_keys <> '[]'`;

/**
 * Files and inserted texts of pipelines, one row each. Columns that only one kind uses are null in rows of
 * the other kind. src/db/pipeline-members.ts lists the columns of each kind with their types.
 */
export const pipelineMembers = sqliteTable(
  'pipeline_members',
  {
    id: id(),
    pipelineId: text()
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    kind: text({ enum: MEMBER_KINDS }).notNull(),
    /**
     * Document id in chunks and index entries: the id of the file, or a text's id as chosen by the client.
     */
    documentId: text().notNull(),
    status: ingestionStatus(),
    /** Id of the sync run that last started to index this file or text. */
    jobId: text(),
    statusUpdatedAt: timestamp(),
    error: json<IngestionError>(),
    chunkCount: integer(),
    /** Fingerprint of the inputs of the last permanent failure. A sync does not retry the same inputs. */
    failedFingerprint: text(),
    /** Time at which metadata that appears in the index was last changed. */
    describedAt: timestamp().notNull().default(sql`0`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),

    fileId: text().references(() => files.id),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    customMetadata: json<Record<string, unknown>>(),
    /** Metadata from the pipeline's metadata table. `customMetadata` takes precedence over it. */
    tableMetadata: json<Record<string, unknown>>(),
    /** Facts that users should know although the file was indexed, such as pages that need OCR. */
    statusDetails: json<Record<string, unknown>>(),
    indexedPageCount: integer(),
    /** Generation of the newest sync run in which the data source listed the file. */
    sourceGeneration: integer(),

    contentHash: text(),
    /**
     * Id of the stored text in the bucket. Each write uses a new id, so that concurrent writes never delete
     * each other's text.
     */
    textId: text(),
    /** Text of a short document. Null if the text is in the bucket. */
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
    /** Used by lists of files and texts together. */
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
