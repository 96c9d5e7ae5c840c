import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, updatedAt } from '../columns.ts';
import { files } from '../files.ts';
import { projects } from '../tenancy.ts';
import { resultState, runState } from './run-state.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

export const TRUTH_KINDS = ['extraction', 'classification'] as const;
export type TruthKind = (typeof TRUTH_KINDS)[number];

export const TRUTH_ORIGINS = ['manual', 'imported', 'collected'] as const;
export type TruthOrigin = (typeof TRUTH_ORIGINS)[number];

/**
 * Expected values of an extraction, or the expected type of a classification. The value is wrapped, because it may be
 * null.
 */
export interface Expected {
  value: unknown;
}

/** Sets of files with the results that an extraction or classification should have for them. */
export const truthSets = sqliteTable(
  'truth_sets',
  {
    id: id(),
    projectId: projectId(),
    kind: text({ enum: TRUTH_KINDS }).notNull(),
    name: text().notNull(),
    description: text(),
    /** Number that increases with each change of the truths, counted from 1. */
    version: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('truth_sets_by_name').on(table.projectId, table.name),
    index('truth_sets_by_project').on(table.projectId, table.createdAt, table.id),
  ],
);

/** Expected results by file. Deleting a file deletes its truths. */
export const truths = sqliteTable(
  'truths',
  {
    id: id(),
    projectId: projectId(),
    truthSetId: text()
      .notNull()
      .references(() => truthSets.id, { onDelete: 'cascade' }),
    fileId: text()
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    expected: json<Expected>().notNull(),
    origin: text({ enum: TRUTH_ORIGINS }).notNull(),
    /** Job whose approved result is the truth. Null for other truths. */
    jobId: text(),
    /** Content hash of the file for which the truth was written. A later change of the file marks the truth. */
    fileHash: text().notNull(),
    characterCount: integer().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('truths_by_set').on(table.truthSetId, table.fileId),
    index('truths_by_project').on(table.projectId, table.truthSetId, table.fileId),
    index('truths_by_file').on(table.fileId),
  ],
);

/** Measures of all files of a run together. */
export interface AccuracySummary {
  completed: number;
  failed: number;
  /** Measures by name. Measures that are not defined are left out. */
  metrics: Record<string, number>;
}

/** Measurement of an extraction or classification configuration with the truths of a set. */
export const accuracyRuns = sqliteTable(
  'accuracy_runs',
  {
    id: id(),
    projectId: projectId(),
    truthSetId: text()
      .notNull()
      .references(() => truthSets.id, { onDelete: 'cascade' }),
    /** Version of the truth set whose truths the run uses. */
    truthSetVersion: integer().notNull(),
    kind: text({ enum: TRUTH_KINDS }).notNull(),
    userId: text().notNull(),
    name: text().notNull(),
    /** Copy of the measured configuration, with encrypted secrets. */
    configuration: json<Record<string, unknown>>().notNull(),
    /** Saved configuration that was measured. Null for a configuration that the request contained. */
    configurationId: text(),
    ...runState(),
    /** Measures of the run. Null until the run has ended. */
    summary: json<AccuracySummary>(),
  },
  (table) => [
    index('accuracy_runs_by_project').on(table.projectId, table.createdAt, table.id),
    index('accuracy_runs_by_set').on(table.truthSetId, table.createdAt, table.id),
  ],
);

/** Results of a run by file. The truth is copied, so that later changes do not affect the run. */
export const accuracyResults = sqliteTable(
  'accuracy_results',
  {
    runId: text()
      .notNull()
      .references(() => accuracyRuns.id, { onDelete: 'cascade' }),
    projectId: projectId(),
    fileId: text()
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    /** Position of the file in the run, counted from 1. */
    position: integer().notNull(),
    expected: json<Expected>().notNull(),
    ...resultState(),
    /** Measures of the file by name. Null until the file was evaluated. */
    metrics: json<Record<string, number>>(),
    /** Comparison of the result with the truth. Its form depends on the kind of the run. */
    outcome: json<Record<string, unknown>>(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.fileId] }),
    index('accuracy_results_by_project').on(table.projectId, table.runId, table.position),
    index('accuracy_results_by_status').on(table.runId, table.status, table.position),
    index('accuracy_results_by_file').on(table.fileId),
  ],
);

export type TruthSet = typeof truthSets.$inferSelect;
export type Truth = typeof truths.$inferSelect;
export type AccuracyRun = typeof accuracyRuns.$inferSelect;
export type AccuracyResult = typeof accuracyResults.$inferSelect;
