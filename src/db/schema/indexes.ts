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
 * Builds of a pipeline's index. A change that invalidates all vectors, such as another embedding model or
 * data sink, starts a new build next to the live one. Queries use only the live build.
 */
export const pipelineIndexes = sqliteTable(
  'pipeline_indexes',
  {
    id: id(),
    pipelineId: pipelineId(),
    /** Hash of the embedding configuration and data sink, which all vectors of the index share. */
    configHash: text().notNull(),
    state: text({ enum: ['building', 'live', 'retired'] }).notNull(),
    /** Sealed embedding configuration with which chunks and queries are embedded. */
    embeddingConfig: json<{ type: string; component: Record<string, unknown>; standsFor?: string }>(),
    /** Dimension of the vectors. Null until the first vector is stored. */
    dimension: integer(),
    /**
     * Sealed settings of the data sink; null for the managed index. The index keeps these settings even if
     * the pipeline changes its data sink.
     */
    sink: json<{ type: string; component: Record<string, unknown> }>(),
    /** Number of shards. `openShard` is the shard that accepts new documents. */
    shards: integer().notNull().default(1),
    openShard: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('pipeline_indexes_by_state').on(table.pipelineId, table.state)],
);

/** Indexed files and texts, with fingerprints of the inputs that produced their chunks and vectors. */
export const indexedDocuments = sqliteTable(
  'indexed_documents',
  {
    indexId: text()
      .notNull()
      .references(() => pipelineIndexes.id, { onDelete: 'cascade' }),
    documentId: text().notNull(),
    shard: integer().notNull(),
    /** Last shard of the document. It differs from `shard` if the document does not fit into one shard. */
    lastShard: integer().notNull(),
    version: integer().notNull(),
    chunkCount: integer().notNull(),
    pageCount: integer(),
    /** Hash of the content and of every configuration that affects the chunks and vectors. */
    contentFingerprint: text().notNull(),
    /** Fingerprint of the times at which title and metadata last changed, and of the excluded keys. */
    metadataFingerprint: text().notNull(),
    /** Hash of the title and metadata that were embedded together with each chunk. */
    contextHash: text().notNull().default(''),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.documentId] })],
);

/**
 * Condition as raw SQL text. SQLite uses the partial index below only if a query contains exactly this text.
 */
export const isOpenRun = sql`finished_at is null`;

/**
 * Sync runs of pipelines. The newest run of a pipeline determines its ingestion status. Earlier runs are its
 * history.
 */
export const syncRuns = sqliteTable(
  'sync_runs',
  {
    id: id(),
    pipelineId: pipelineId(),
    generation: integer().notNull(),
    status: text({ enum: INGESTION_STATUSES }).notNull(),
    reason: text().notNull(),
    /** Counters such as the numbers of parsed, embedded, indexed, removed and skipped documents. */
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
