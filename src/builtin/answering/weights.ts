import type { Signs } from './confidence.ts';
import type { Evidence } from './evidence.ts';

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<keyof Signs, number>;
  bias: number;
  /** Less sure than this, nothing is said. */
  leastConfidence: number;
}

/**
 * Fitted on questions with known answers in nine languages; `npm run bench:answers -- --fit` prints them, and how those do
 * that were fitted without the language they are measured on.
 */
export const FITTED: Weights = {
  evidence: {
    coverage: 3.73,
    likeness: 3.96,
    context: 0.89,
    node: 2.79,
    order: 2.34,
    exact: 2,
    kind: 0.78,
    news: -0.49,
    rank: 3.01,
    opening: -0.31,
  },
  signs: {
    sentence: 1.28,
    node: 1.28,
    sentenceLift: 3.01,
    nodeLift: 2.76,
    nowhere: -1.94,
    order: 4.05,
    exact: 1.78,
  },
  bias: -3.28,
  leastConfidence: 0.236,
};
