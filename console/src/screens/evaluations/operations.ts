import type { Answer, ReadOperation } from '../../api/types.ts';

/** Operations that several parts of the evaluations read, and their results. */
export const SETS = 'GET /api/v1/evaluations/question-sets';
export const SET = 'GET /api/v1/evaluations/question-sets/{question_set_id}';
export const QUESTIONS = 'GET /api/v1/evaluations/question-sets/{question_set_id}/questions';
export const RUNS = 'GET /api/v1/evaluations/runs';
export const RUN = 'GET /api/v1/evaluations/runs/{run_id}';

/** Operations whose results change when the questions of a set change. */
export const CHANGED_BY_QUESTIONS: ReadOperation[] = [QUESTIONS, SET, SETS];

export type QuestionSet = Answer<typeof SET>;
export type Question = Answer<typeof QUESTIONS>['items'][number];
export type Run = Answer<typeof RUN>;
