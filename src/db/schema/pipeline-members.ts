import { sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { dataSources } from './connections.ts';
import { files } from './files.ts';
import { type IngestionError, ingestionStatus, pipelines } from './pipelines.ts';

/**
 * Kinds of pipeline members: `file` is a file of the project, and `text` is a text document that a client put
 * into the pipeline.
 */
export const MEMBER_KINDS = ['file', 'text'] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];

/**
 * SQL condition for members with excluded metadata keys. SQLite uses the partial index below only if a query
 * contains exactly the same text.
 */
export const hasExcludedKeys = sql`excluded_embed_metadata_keys <> '[]' or excluded_llm_metadata_keys <> '[]'`;

/**
 * SQL condition for members that are files, for the partial index below. SQLite uses that index only if a query
 * contains the kind as a literal and not as a parameter.
 */
export const isFile = sql`kind = 'file'`;

/** SQL condition for members with disabled chunks, for the partial index below. */
export const hasDisabledChunks = sql`disabled_chunks is not null`;

/** SQL condition for members whose chunks have metadata of their own, for the partial index below. */
export const hasChunkMetadata = sql`chunk_metadata is not null`;

/**
 * Files and text documents of pipelines. Columns that only one kind uses are null for the other kind.
 * src/db/pipeline-members.ts lists the columns of each kind with their types.
 */
export const pipelineMembers = sqliteTable(
  'pipeline_members',
  {
    /** UUID of a file, which clients see, and short id of a text document. */
    id: id(),
    pipelineId: text()
      .notNull()
      .references(() => pipelines.id, { onDelete: 'cascade' }),
    kind: text({ enum: MEMBER_KINDS }).notNull(),
    /**
     * Document id that chunks refer to. It is the file's id, or the id that the client chose for a text
     * document.
     */
    documentId: text().notNull(),
    status: ingestionStatus(),
    /** Id of the sync run that last started to index this file or text. */
    jobId: text(),
    statusUpdatedAt: timestamp(),
    error: json<IngestionError>(),
    chunkCount: integer(),
    /**
     * Hash of the inputs with which indexing last failed permanently. A sync does not try the same inputs
     * again.
     */
    failedFingerprint: text(),
    /** Time of the last change to metadata that the index contains. */
    describedAt: timestamp().notNull().default(sql`0`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),

    fileId: text().references(() => files.id),
    dataSourceId: text().references(() => dataSources.id, { onDelete: 'set null' }),
    customMetadata: json<Record<string, unknown>>(),
    /**
     * Metadata from the pipeline's metadata table. If both define a key, `customMetadata` takes precedence.
     */
    tableMetadata: json<Record<string, unknown>>(),
    /** Information for users about an indexed file, such as pages that need OCR. */
    statusDetails: json<Record<string, unknown>>(),
    indexedPageCount: integer(),
    /** Number of the newest sync run in which the data source still listed the file. */
    sourceGeneration: integer(),

    /**
     * First 32 characters of the SHA-256 hash of the text in hexadecimal. Rows of releases before 0.5.0 have all 64
     * characters until their text changes.
     */
    contentHash: text(),
    /**
     * Id of the stored text in the bucket. Each write uses a new id, so that concurrent writes never delete
     * each other's text.
     */
    textId: text(),
    /** Text of a short text document. Null if the text is stored in the bucket. */
    text: text(),
    metadata: json<Record<string, unknown>>(),
    excludedEmbedMetadataKeys: json<string[]>(),
    excludedLlmMetadataKeys: json<string[]>(),
    pagePositions: json<number[]>(),
    /** Text hashes of the chunks that queries must not find. Null if all chunks are enabled. */
    disabledChunks: json<string[]>(),
    /**
     * Metadata that was set for single chunks, by the hash of their text. It takes precedence over the metadata of
     * the document. Null if no chunk has metadata of its own.
     */
    chunkMetadata: json<Record<string, Record<string, string | number | boolean | (string | number)[]>>>(),
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
    /** Text documents have no data source, so the index leaves them out. */
    index('pipeline_members_by_source')
      .on(table.pipelineId, table.dataSourceId, table.createdAt, table.id)
      .where(isFile),
    index('pipeline_members_by_file').on(table.fileId),
    index('pipeline_members_with_excluded_keys').on(table.pipelineId).where(hasExcludedKeys),
    index('pipeline_members_with_disabled_chunks').on(table.pipelineId).where(hasDisabledChunks),
    index('pipeline_members_with_chunk_metadata').on(table.pipelineId).where(hasChunkMetadata),
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
