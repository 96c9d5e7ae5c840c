import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

export const BATCH_JOB_TYPES = ['extract', 'classify', 'parse'] as const;
export type BatchJobType = (typeof BATCH_JOB_TYPES)[number];

/** Groups of files that extract, classify or parse jobs process with one configuration. */
export const batches = sqliteTable(
  'batches',
  {
    id: id(),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    userId: text().notNull(),
    jobType: text({ enum: BATCH_JOB_TYPES }).notNull(),
    name: text().notNull(),
    /** Configuration of the jobs when the batch was created. Secrets are bound to the batch. */
    configuration: json<Record<string, unknown>>().notNull(),
    configurationId: text(),
    webhookConfigurations: json<Record<string, unknown>[]>(),
    /** Idempotency key of the caller. A second request with the same key returns the first batch. */
    transactionId: text(),
    fileCount: integer().notNull(),
    /** Directory whose files the batch processes. Null if the request named the files or a pipeline. */
    directoryId: text(),
    cancelledAt: timestamp(),
    /** Time at which the end of all jobs was noticed and reported. Null while jobs are left, also after a retry. */
    finishedAt: timestamp(),
    /** Time of the delete request. The batch is invisible from then on, and its jobs are being deleted. */
    deletedAt: timestamp(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('batches_by_project').on(table.projectId, table.createdAt, table.id),
    index('batches_by_directory').on(table.directoryId, table.createdAt).where(sql`directory_id is not null`),
    uniqueIndex('batches_by_transaction').on(table.projectId, table.transactionId),
  ],
);

/** Files of a batch, with the id of the job that processes the file. */
export const batchItems = sqliteTable(
  'batch_items',
  {
    batchId: text()
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Position of the file in the request, counted from 0. */
    position: integer().notNull(),
    fileId: text().notNull(),
    /** Id of the file's job. The id is assigned before the job is created. A retry assigns a new id. */
    jobId: text().notNull(),
    /**
     * `waiting` until the job has been created. `refused` if a limit of the project did not allow the job,
     * and `created` otherwise.
     */
    state: text({ enum: ['waiting', 'created', 'refused'] })
      .notNull()
      .default('waiting'),
    errorMessage: text(),
  },
  (table) => [
    primaryKey({ columns: [table.batchId, table.position] }),
    index('batch_items_by_project').on(table.projectId, table.batchId, table.position),
    index('batch_items_by_state').on(table.batchId, table.state, table.position),
    index('batch_items_by_job').on(table.jobId),
  ],
);

export type Batch = typeof batches.$inferSelect;
export type BatchItem = typeof batchItems.$inferSelect;
