import type { Answer, ReadOperation } from '../../../api/types.ts';

/** Operations that several parts of the accuracy screens read, and their results. */
export const TRUTH_SETS = 'GET /api/v1/evaluations/truth-sets';
export const TRUTH_SET = 'GET /api/v1/evaluations/truth-sets/{truth_set_id}';
export const TRUTHS = 'GET /api/v1/evaluations/truth-sets/{truth_set_id}/truths';
export const ACCURACY_RUNS = 'GET /api/v1/evaluations/accuracy-runs';
export const ACCURACY_RUN = 'GET /api/v1/evaluations/accuracy-runs/{run_id}';

/** Operations whose results change when the truths of a set change. */
export const CHANGED_BY_TRUTHS: ReadOperation[] = [TRUTHS, TRUTH_SET, TRUTH_SETS];

export type TruthSet = Answer<typeof TRUTH_SET>;
export type Truth = Answer<typeof TRUTHS>['items'][number];
export type AccuracyRun = Answer<typeof ACCURACY_RUN>;
