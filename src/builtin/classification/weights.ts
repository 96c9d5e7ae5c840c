import type { Grounds, Signs } from './decide.ts';
import type { Evidence } from './evidence.ts';

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<keyof Signs, number>;
  bias: number;
  /** They turn what the answer stands on into how often such answers are right. */
  sureOfRule: Record<keyof Grounds | 'bias', number>;
  sureOfNone: { fits: number; bias: number };
}

/**
 * Fitted on six sets of rules and documents; `npm run bench:classify -- --fit` prints them, and how those do that were
 * fitted without the set they are measured on.
 */
export const FITTED: Weights = {
  evidence: { words: 2.94, spelling: 2.51, meaning: 2.88, votes: 1.71 },
  signs: { standing: 1.2, outdone: 0.2, unknown: 9.01, asked: -0.49, lead: 3.02, choice: 1.1 },
  bias: -6.19,
  sureOfRule: { share: 0.26, lead: 2.2, bias: -3.78 },
  sureOfNone: { fits: -1.14, bias: 0.04 },
};
