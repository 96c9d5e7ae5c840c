import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, id, json } from '../columns.ts';
import { projects } from '../tenancy.ts';
import { questionFields, questionSets } from './question-sets.ts';
import { resultState, runState } from './run-state.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/** Results of all questions of a run together. */
export interface RunSummary {
  completed: number;
  failed: number;
  /** Number of questions that expect results, over which ranking measures are averaged. */
  scored: number;
  /** Mean of each measure over the questions that have it. Measures that no question has are left out. */
  metrics: Record<string, number>;
}

/** Values of measures that a scheduled run is compared with, and the endpoints that are notified of its end. */
export interface RunLimits {
  at_least: Record<string, number>;
  at_most: Record<string, number>;
  /** Measure by which the run is compared with the previous scheduled run. */
  metric: string;
  webhook_configuration_ids: string[];
}

/** Assessment of a scheduled run that has ended. */
export interface RunReport {
  is_regression: boolean;
  /** Bounds that the run does not meet. The value is null if no question has the measure. */
  missed: { metric: string; bound: 'at_least' | 'at_most'; limit: number; value: number | null }[];
  /** Comparison with the previous scheduled run. Null if there is none. */
  comparison: {
    baseline_run_id: string;
    metric: string;
    verdict: 'better' | 'worse' | 'no_clear_difference';
    difference: number;
    confidence_interval: { low: number; high: number };
    summary: string;
  } | null;
  summary: string;
}

/** Evaluation of a pipeline or retriever with the questions of a set. */
export const evaluationRuns = sqliteTable(
  'evaluation_runs',
  {
    id: id(),
    projectId: projectId(),
    questionSetId: text()
      .notNull()
      .references(() => questionSets.id, { onDelete: 'cascade' }),
    /** Version of the question set whose questions the run evaluates. */
    questionSetVersion: integer().notNull(),
    userId: text().notNull(),
    name: text().notNull(),
    /** Id of the evaluated pipeline, or of the evaluated retriever. The run stays readable after its deletion. */
    pipelineId: text(),
    retrieverId: text(),
    /** Name that the pipeline or retriever had when the run was created. */
    targetName: text().notNull(),
    parameters: json<Record<string, unknown>>().notNull(),
    /** Whether the questions are also answered. */
    hasAnswers: flag().notNull(),
    /** Access rights of the caller, with which the run searches. */
    caller: json<Record<string, unknown>>().notNull(),
    ...runState(),
    questionCount: integer().notNull(),
    /** Part of the questions that the run evaluates. Null for all. */
    sample: json<{
      half?: 'development' | 'held_out' | null | undefined;
      share?: number | null | undefined;
    }>(),
    /** Mean of each measure. Null until the run has ended. */
    summary: json<RunSummary>(),
    /** Whether the schedule of the question set started the run. */
    isScheduled: flag().notNull().default(false),
    /** Copy of the schedule's limits. Null if the run was not scheduled. */
    limits: json<RunLimits>(),
    /** Assessment by the limits. Null until a scheduled run has ended. */
    report: json<RunReport>(),
  },
  (table) => [
    index('evaluation_runs_by_project').on(table.projectId, table.createdAt, table.id),
    index('evaluation_runs_by_set').on(table.questionSetId, table.createdAt, table.id),
  ],
);

/** A retrieved chunk in the results of a run. */
export interface RetrievedChunk {
  chunk_id: string;
  document_id: string;
  title: string;
  /** First page of the chunk, counted from 1. Null if the document has no pages. */
  page: number | null;
  score: number;
  /** Grade of the best expectation that the chunk meets. 0 if it meets none. */
  relevance: number;
}

/** Measures of an answer. A measure is null if the question does not expect it. */
export interface AnswerMeasures {
  text: string;
  /** Whether the answer contains the key content of the expected answer. */
  said: boolean | null;
  /** Whether a citation points to an expected passage, page or document. */
  cited: boolean | null;
  refused: boolean;
  latency_ms: number;
  input_tokens: number | null;
  output_tokens: number | null;
}

/** Results of a run by question. The question is copied, so that later changes do not affect the run. */
export const evaluationResults = sqliteTable(
  'evaluation_results',
  {
    runId: text()
      .notNull()
      .references(() => evaluationRuns.id, { onDelete: 'cascade' }),
    projectId: projectId(),
    questionId: text().notNull(),
    /** Position of the question in the run, counted from 1. */
    position: integer().notNull(),
    ...questionFields(),
    ...resultState(),
    /** Measures by name. Null until the question was evaluated. */
    metrics: json<Record<string, number>>(),
    retrieved: json<RetrievedChunk[]>(),
    answer: json<AnswerMeasures>(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.questionId] }),
    index('evaluation_results_by_project').on(table.projectId, table.runId, table.position),
    index('evaluation_results_by_status').on(table.runId, table.status, table.position),
  ],
);

export type EvaluationRun = typeof evaluationRuns.$inferSelect;
export type EvaluationResult = typeof evaluationResults.$inferSelect;
