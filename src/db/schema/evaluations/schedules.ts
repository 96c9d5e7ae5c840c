import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, json, timestamp, updatedAt } from '../columns.ts';
import { projects } from '../tenancy.ts';
import { questionSets } from './question-sets.ts';
import type { RunLimits } from './runs.ts';

/** Schedules by which question sets are evaluated regularly. A set has at most one schedule. */
export const evaluationSchedules = sqliteTable('evaluation_schedules', {
  questionSetId: text()
    .primaryKey()
    .references(() => questionSets.id, { onDelete: 'cascade' }),
  projectId: text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' }),
  userId: text().notNull(),
  /** Id of the evaluated pipeline, or of the evaluated retriever. */
  pipelineId: text(),
  retrieverId: text(),
  /** Name that the pipeline or retriever had when the schedule was saved. */
  targetName: text().notNull(),
  parameters: json<Record<string, unknown>>().notNull(),
  hasAnswers: flag().notNull(),
  intervalSeconds: integer().notNull(),
  isPaused: flag().notNull(),
  /** Number of scheduled runs that are kept. Older ones are deleted. */
  keepRuns: integer().notNull(),
  limits: json<RunLimits>().notNull(),
  /** Access rights of the user who saved the schedule. They are checked again before each run. */
  caller: json<Record<string, unknown>>().notNull(),
  nextRunAt: timestamp().notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export type EvaluationSchedule = typeof evaluationSchedules.$inferSelect;
