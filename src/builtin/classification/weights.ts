import type { GROUNDS, Signs } from './decide.ts';
import type { Evidence } from './evidence.ts';

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<keyof Signs, number>;
  bias: number;
  /** They turn what the answer stands on into how often such answers are right. */
  sureOfRule: Record<(typeof GROUNDS)[number] | 'bias', number>;
  sureOfNone: { fits: number; bias: number };
}

/**
 * Fitted on six sets of rules and documents; `npm run bench:classify -- --fit` prints them, and how those do that were
 * fitted without the set they are measured on.
 */
export const FITTED: Weights = {
  evidence: { words: 2.85, spelling: 2.45, meaning: 2.59, votes: 1.89 },
  signs: { standing: 0.86, unknown: 5.06, ruleKnown: -3.34, asked: -0.45, lead: 2.9, choice: 1.35 },
  bias: -3.21,
  sureOfRule: { lead: 3.4, ruleKnown: -1.91, bias: -4.01 },
  sureOfNone: { fits: -1.09, bias: -0.03 },
};
