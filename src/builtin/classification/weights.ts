import type { CONFIDENCE_SIGNS, FitSign } from './decide.ts';
import type { Evidence } from './evidence.ts';

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<FitSign, number>;
  bias: number;
  /** Weights that turn the signs of an answer into the probability that the answer is right. */
  ruleConfidence: Record<(typeof CONFIDENCE_SIGNS)[number] | 'bias', number>;
  noneConfidence: { fits: number; bias: number };
}

/**
 * Weights fitted on eight sets of rules and documents. `npm run bench:classify -- --fit` prints them. It also
 * measures each set with weights that were fitted on the other sets.
 */
export const FITTED: Weights = {
  evidence: {
    words: 1.55,
    spelling: 1.53,
    meaning: 3.41,
    votes: 2.04,
    opening: 1.7,
    form: 3.48,
    missing: -1.32,
  },
  signs: {
    topicZScore: 1.28,
    unknownShare: 2.96,
    knownRuleShare: -4.49,
    ruleTermCount: -0.27,
    lead: 2.21,
    ruleCount: 0.94,
    unnamedForm: -3.92,
    namedForms: 3.42,
    unsupported: -2.16,
  },
  bias: -1.29,
  ruleConfidence: { lead: 2.5, documentLength: 0.16, bias: -4.79 },
  noneConfidence: { fits: -1.19, bias: -0.01 },
};
