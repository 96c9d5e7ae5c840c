import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, json } from './columns.ts';
import { classifyJobs, extractJobs } from './jobs.ts';
import { projects } from './tenancy.ts';

/**
 * Columns of a review. Each change of a review inserts a row with the next revision. The row with the highest
 * revision is the current state of the review, and earlier rows are its history.
 */
const review = () => ({
  id: id(),
  projectId: text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** Number of the revision, counted from 1. */
  revision: integer().notNull(),
  isApproved: flag().notNull(),
  /** User who made this revision. */
  userId: text().notNull(),
  /** Name that the user had in the project's organization at that time. Null if the user had none. */
  userName: text(),
  createdAt: createdAt(),
});

export const extractReviews = sqliteTable(
  'extract_reviews',
  {
    ...review(),
    jobId: text()
      .notNull()
      .references(() => extractJobs.id, { onDelete: 'cascade' }),
    /** Corrected values by JSON pointer into the result of the job. */
    corrections: json<Record<string, unknown>>().notNull(),
  },
  (table) => [
    uniqueIndex('extract_reviews_by_revision').on(table.jobId, table.revision),
    index('extract_reviews_by_project').on(table.projectId, table.createdAt, table.id),
  ],
);

export const classifyReviews = sqliteTable(
  'classify_reviews',
  {
    ...review(),
    jobId: text()
      .notNull()
      .references(() => classifyJobs.id, { onDelete: 'cascade' }),
    /** Corrected type. Null if the reviewer left the type as it is. */
    corrections: json<{ type: string | null }>(),
  },
  (table) => [
    uniqueIndex('classify_reviews_by_revision').on(table.jobId, table.revision),
    index('classify_reviews_by_project').on(table.projectId, table.createdAt, table.id),
  ],
);

export type ExtractReview = typeof extractReviews.$inferSelect;
export type ClassifyReview = typeof classifyReviews.$inferSelect;
