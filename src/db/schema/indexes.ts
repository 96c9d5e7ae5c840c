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
 * One build of a pipeline's index. A change that no old vector survives (another embedding, another sink)
 * builds a new one beside the live one; queries see the live one only.
 */
export const pipelineIndexes = sqliteTable(
  'pipeline_indexes',
  {
    id: id(),
    pipelineId: pipelineId(),
    /** Hash of what all its vectors have in common: embedding and sink. */
    configHash: text().notNull(),
    state: text({ enum: ['building', 'live', 'retired'] }).notNull(),
    /** What its vectors were made with, sealed: queries of this index are embedded the same way. */
    embeddingConfig: json<{ type: string; component: Record<string, unknown>; standsFor?: string }>(),
    /** Of all its vectors; null before the first. */
    dimension: integer(),
    /** The data sink that it is in, sealed; null: the managed index. It stays there wherever its pipeline goes. */
    sink: json<{ type: string; component: Record<string, unknown> }>(),
    /** How many shards it has, and which of them takes new documents. */
    shards: integer().notNull().default(1),
    openShard: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('pipeline_indexes_by_state').on(table.pipelineId, table.state)],
);

/** What an index holds of each file or document, and from which inputs it was made. */
export const indexedDocuments = sqliteTable(
  'indexed_documents',
  {
    indexId: text()
      .notNull()
      .references(() => pipelineIndexes.id, { onDelete: 'cascade' }),
    documentId: text().notNull(),
    shard: integer().notNull(),
    /** A document that one shard has no room for goes on in further ones, up to this one. */
    lastShard: integer().notNull(),
    version: integer().notNull(),
    chunkCount: integer().notNull(),
    pageCount: integer(),
    /** Hash of the content and of every configuration that shaped the chunks and vectors. */
    contentFingerprint: text().notNull(),
    /** When the title and metadata that the index shows were last changed, and which keys were excluded. */
    metadataFingerprint: text().notNull(),
    /** Hash of what of the title and metadata was embedded with each chunk. */
    contextHash: text().notNull().default(''),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.documentId] })],
);

/** As text, so that the index below is recognized where a query asks for it. */
export const isOpenRun = sql`finished_at is null`;

/** One run of a pipeline's sync, kept as its history; the newest is the pipeline's ingestion status. */
export const syncRuns = sqliteTable(
  'sync_runs',
  {
    id: id(),
    pipelineId: pipelineId(),
    generation: integer().notNull(),
    status: text({ enum: INGESTION_STATUSES }).notNull(),
    reason: text().notNull(),
    /** What the run did, stage by stage: parsed, embedded, indexed, removed, skipped… */
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
