import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from './columns.ts';
import type { IngestionError } from './pipelines.ts';
import { INGESTION_STATUSES, pipelines } from './pipelines.ts';

const pipelineId = () =>
  text()
    .notNull()
    .references(() => pipelines.id, { onDelete: 'cascade' });

/**
 * One build of a pipeline's index. A change that invalidates all vectors (another embedding or sink) creates
 * a new build beside the live one. Queries use the live one only.
 */
export const pipelineIndexes = sqliteTable(
  'pipeline_indexes',
  {
    id: id(),
    pipelineId: pipelineId(),
    /** Hash of what all vectors share: embedding and sink. */
    configHash: text().notNull(),
    state: text({ enum: ['building', 'live', 'retired'] }).notNull(),
    /** Sealed embedding configuration of the vectors, with which queries are embedded too. */
    embeddingConfig: json<{ type: string; component: Record<string, unknown>; standsFor?: string }>(),
    /** Dimension of the vectors; null before the first. */
    dimension: integer(),
    /**
     * Sealed settings of the data sink; null for the managed index. They stay, even if the pipeline changes
     * its sink.
     */
    sink: json<{ type: string; component: Record<string, unknown> }>(),
    /** Number of shards, and the one that accepts new documents. */
    shards: integer().notNull().default(1),
    openShard: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('pipeline_indexes_by_state').on(table.pipelineId, table.state)],
);

/** Index entry of each file or document, with the inputs from which it was made. */
export const indexedDocuments = sqliteTable(
  'indexed_documents',
  {
    indexId: text()
      .notNull()
      .references(() => pipelineIndexes.id, { onDelete: 'cascade' }),
    documentId: text().notNull(),
    shard: integer().notNull(),
    /** Last shard of the document. Differs from `shard` if the document does not fit into one shard. */
    lastShard: integer().notNull(),
    version: integer().notNull(),
    chunkCount: integer().notNull(),
    pageCount: integer(),
    /** Hash of the content and of every configuration that affects chunks and vectors. */
    contentFingerprint: text().notNull(),
    /** Fingerprint of the times at which title and metadata last changed, and of the excluded keys. */
    metadataFingerprint: text().notNull(),
    /** Hash of the title and metadata that were embedded with each chunk. */
    contextHash: text().notNull().default(''),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.documentId] })],
);

/** Raw SQL text, so that SQLite recognises the condition of the partial index below in queries. */
export const isOpenRun = sql`finished_at is null`;

/** A sync run of a pipeline. Old runs are the history; the newest is the pipeline's ingestion status. */
export const syncRuns = sqliteTable(
  'sync_runs',
  {
    id: id(),
    pipelineId: pipelineId(),
    generation: integer().notNull(),
    status: text({ enum: INGESTION_STATUSES }).notNull(),
    reason: text().notNull(),
    /** Counters by stage: parsed, embedded, indexed, removed, skipped and others. */
    counters: json<Record<string, number>>().notNull(),
    error: json<IngestionError[]>(),
    startedAt: moment().notNull(),
    finishedAt: moment(),
  },
  (table) => [
    index('sync_runs_by_pipeline').on(table.pipelineId, table.generation),
    index('sync_runs_by_start').on(table.pipelineId, table.startedAt, table.id),
    index('sync_runs_open').on(table.startedAt, table.id).where(isOpenRun),
  ],
);

export type SyncRun = typeof syncRuns.$inferSelect;

export type PipelineIndex = typeof pipelineIndexes.$inferSelect;
