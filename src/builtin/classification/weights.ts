import type { CONFIDENCE_SIGNS, Signs } from './decide.ts';
import type { Evidence } from './evidence.ts';

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<keyof Signs, number>;
  bias: number;
  /** Weights that turn the signs of an answer into the probability that the answer is right. */
  ruleConfidence: Record<(typeof CONFIDENCE_SIGNS)[number] | 'bias', number>;
  noneConfidence: { fits: number; bias: number };
}

/**
 * Weights fitted on six sets of rules and documents. `npm run bench:classify -- --fit` prints them. It also
 * measures each set with weights that were fitted on the other sets.
 */
export const FITTED: Weights = {
  evidence: { words: 2.85, spelling: 2.45, meaning: 2.59, votes: 1.89, opening: 0, form: 1, missing: -1 },
  signs: {
    topicZScore: 0.86,
    unknownShare: 5.06,
    knownRuleShare: -3.34,
    ruleTermCount: -0.45,
    lead: 2.9,
    ruleCount: 1.35,
    unnamedForm: 0,
    lackingForm: 0,
  },
  bias: -3.21,
  ruleConfidence: { lead: 3.4, knownRuleShare: -1.91, bias: -4.01 },
  noneConfidence: { fits: -1.09, bias: -0.03 },
};
