import type { Signs } from './decide.ts';
import type { Evidence } from './evidence.ts';

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<keyof Signs, number>;
  bias: number;
}

/**
 * Fitted on six sets of rules and documents; `npm run bench:classify -- --fit` prints them, and how those do that were
 * fitted without the set they are measured on.
 */
export const FITTED: Weights = {
  evidence: { words: 2.83, spelling: 2.45, meaning: 2.9, votes: 1.67 },
  signs: { words: 0.98, meaning: 5.9, unexplained: 5.99, lead: 2.3 },
  bias: -6.71,
};
