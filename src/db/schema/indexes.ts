import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import type { IngestionError } from './pipelines.ts';
import { INGESTION_STATUSES, pipelines } from './pipelines.ts';

const pipelineId = () =>
  text()
    .notNull()
    .references(() => pipelines.id, { onDelete: 'cascade' });

/**
 * Versions of a pipeline's index. If a change makes all vectors invalid, such as another embedding model, a
 * new version is built. Queries use the live version until the new one is complete.
 */
export const pipelineIndexes = sqliteTable(
  'pipeline_indexes',
  {
    id: id(),
    pipelineId: pipelineId(),
    /** Hash of the embedding configuration and the data sink. All vectors of an index share both. */
    configHash: text().notNull(),
    state: text({ enum: ['building', 'live', 'retired'] }).notNull(),
    /**
     * Configuration for embedding chunks and queries. Its secrets are encrypted. `sparse` is the name of the learned
     * sparse model whose weights the chunks have, and absent if they are searched by words.
     */
    embeddingConfig: json<{
      type: string;
      component: Record<string, unknown>;
      standsFor?: string;
      sparse?: string;
    }>(),
    /** Number of dimensions of the vectors. Null until the first vector is stored. */
    dimension: integer(),
    /**
     * Settings of the data sink with encrypted secrets. Null for the managed index. The index keeps these
     * settings even if the pipeline changes its data sink.
     */
    sink: json<{ type: string; component: Record<string, unknown> }>(),
    /**
     * Number of shards (Durable Objects) of a managed index. New documents are added to the shard
     * `openShard`.
     */
    shards: integer().notNull().default(1),
    openShard: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('pipeline_indexes_by_state').on(table.pipelineId, table.state)],
);

/**
 * Files and text documents in an index. Fingerprints identify the inputs from which their chunks and vectors
 * were made.
 */
export const indexedDocuments = sqliteTable(
  'indexed_documents',
  {
    indexId: text()
      .notNull()
      .references(() => pipelineIndexes.id, { onDelete: 'cascade' }),
    documentId: text().notNull(),
    shard: integer().notNull(),
    /**
     * Number of the last shard that contains chunks of the document. It differs from `shard` if the document
     * needs several shards.
     */
    lastShard: integer().notNull(),
    version: integer().notNull(),
    chunkCount: integer().notNull(),
    pageCount: integer(),
    /** Hash of the document's content and of all settings that affect its chunks and vectors. */
    contentFingerprint: text().notNull(),
    /** Hash of the excluded metadata keys and of the times at which title and metadata last changed. */
    metadataFingerprint: text().notNull(),
    /** Hash of the title and metadata that are embedded with each chunk. */
    contextHash: text().notNull().default(''),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.documentId] })],
);

/** SQL condition for documents with leftovers, in exactly the text of the partial index below. */
export const hasLeftovers = sql`leftover is not null`;

/**
 * Documents of indexes whose whole search is in an external store without transactions. A row decides which version of
 * its document searches show, so that the store may still have other versions. The row of a removed document stays,
 * because it prevents older versions from being published.
 */
export const storedVersions = sqliteTable(
  'stored_versions',
  {
    indexId: text()
      .notNull()
      .references(() => pipelineIndexes.id, { onDelete: 'cascade' }),
    documentId: text().notNull(),
    /** Version that searches show. Null if they show none. */
    version: integer(),
    /** Highest version that was removed. */
    removed: integer().notNull().default(-1),
    /** Number of chunks of the visible version, and size of their texts in UTF-8 bytes. */
    chunks: integer().notNull().default(0),
    bytes: integer().notNull().default(0),
    /** The store may still have chunks up to this version, which must be deleted. Null if it has none. */
    leftover: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.indexId, table.documentId] }),
    index('stored_versions_with_leftovers').on(table.indexId, table.documentId).where(hasLeftovers),
  ],
);

/** Languages of the chunks that were ever published in such an index. The counts never decrease. */
export const storedLanguages = sqliteTable(
  'stored_languages',
  {
    indexId: text()
      .notNull()
      .references(() => pipelineIndexes.id, { onDelete: 'cascade' }),
    language: text().notNull(),
    chunks: integer().notNull(),
    words: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.language] })],
);

/**
 * SQL condition for unfinished sync runs. SQLite uses the partial index below only if a query contains
 * exactly the same text.
 */
export const isOpenRun = sql`finished_at is null`;

/**
 * Sync runs of pipelines. The newest run determines a pipeline's status, and earlier runs are its history.
 */
export const syncRuns = sqliteTable(
  'sync_runs',
  {
    id: id(),
    pipelineId: pipelineId(),
    generation: integer().notNull(),
    status: text({ enum: INGESTION_STATUSES }).notNull(),
    reason: text().notNull(),
    /** Counters of a sync run, such as the numbers of parsed, embedded and removed documents. */
    counters: json<Record<string, number>>().notNull(),
    error: json<IngestionError[]>(),
    startedAt: timestamp().notNull(),
    finishedAt: timestamp(),
  },
  (table) => [
    index('sync_runs_by_pipeline').on(table.pipelineId, table.generation),
    index('sync_runs_by_start').on(table.pipelineId, table.startedAt, table.id),
    index('sync_runs_open').on(table.startedAt, table.id).where(isOpenRun),
  ],
);

export type SyncRun = typeof syncRuns.$inferSelect;

export type PipelineIndex = typeof pipelineIndexes.$inferSelect;
