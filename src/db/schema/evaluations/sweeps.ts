import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, id, json } from '../columns.ts';
import { projects } from '../tenancy.ts';
import { questionSets } from './question-sets.ts';
import { resultState, runState } from './run-state.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/** Indexing settings that a sweep tries in a hidden copy of the pipeline. Missing settings are those of the pipeline. */
export interface SweepVariant {
  chunk_size?: number;
  embedding_model_config_id?: string;
}

/** Settings that a sweep tries. The first candidate of a sweep has the current settings of the pipeline. */
export interface SweepCandidate {
  name: string;
  parameters: Record<string, unknown>;
  /** Position in the variants of the sweep. Null if the candidate searches the pipeline itself. */
  variant: number | null;
}

/** Means of the candidates of a round, over the questions that all of them have completed. */
export interface SweepRound {
  question_count: number;
  measured: { candidate: number; value: number }[];
}

/** Settings that won the last round, with their comparison on the held-out half of the questions. */
export interface SweepResult {
  candidate: number;
  /** Null if the current settings won. */
  comparison: {
    compared: number;
    mean: number;
    baseline_mean: number;
    difference: number;
    confidence_interval: { low: number; high: number };
    verdict: 'better' | 'worse' | 'no_clear_difference';
    summary: string;
    improved: number;
    worsened: number;
    unchanged: number;
  } | null;
}

export const SWEEP_PHASES = ['indexing', 'development', 'held_out'] as const;

/** Searches for settings of a pipeline that improve a measure of a question set. */
export const evaluationSweeps = sqliteTable(
  'evaluation_sweeps',
  {
    id: id(),
    projectId: projectId(),
    questionSetId: text()
      .notNull()
      .references(() => questionSets.id, { onDelete: 'cascade' }),
    questionSetVersion: integer().notNull(),
    userId: text().notNull(),
    name: text().notNull(),
    pipelineId: text().notNull(),
    /** Name that the pipeline had when the sweep was created. */
    targetName: text().notNull(),
    metric: text().notNull(),
    /** Maximum number of searches. */
    budget: integer().notNull(),
    variants: json<SweepVariant[]>().notNull(),
    candidates: json<SweepCandidate[]>().notNull(),
    /** Share of the development questions that each round uses. */
    shares: json<number[]>().notNull(),
    /** Access rights of the caller, with which the sweep searches. */
    caller: json<Record<string, unknown>>().notNull(),
    ...runState(),
    phase: text({ enum: SWEEP_PHASES }).notNull(),
    /** Rounds that have ended. */
    rounds: json<SweepRound[]>().notNull(),
    /** Candidates that are still tried, best first. */
    remaining: json<number[]>().notNull(),
    /** Null until the sweep has completed. */
    result: json<SweepResult>(),
  },
  (table) => [
    index('evaluation_sweeps_by_project').on(table.projectId, table.createdAt, table.id),
    index('evaluation_sweeps_by_set').on(table.questionSetId),
  ],
);

/** Evaluations of single questions with single candidates. */
export const sweepResults = sqliteTable(
  'sweep_results',
  {
    runId: text()
      .notNull()
      .references(() => evaluationSweeps.id, { onDelete: 'cascade' }),
    projectId: projectId(),
    /** Candidate and question, such as `3:<question id>`. */
    itemId: text().notNull(),
    candidate: integer().notNull(),
    questionId: text().notNull(),
    isHeldOut: flag().notNull(),
    position: integer().notNull(),
    ...resultState(),
    /** Measures by name. Null until the question was evaluated. */
    metrics: json<Record<string, number>>(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.itemId] }),
    index('sweep_results_by_project').on(table.projectId, table.runId, table.position),
    index('sweep_results_by_status').on(table.runId, table.status, table.position),
  ],
);

export type EvaluationSweep = typeof evaluationSweeps.$inferSelect;
export type SweepItem = typeof sweepResults.$inferSelect;
