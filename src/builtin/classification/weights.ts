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
    topicZScore: 0.99,
    unknownShare: 3.36,
    knownRuleShare: -4.17,
    ruleTermCount: -0.34,
    lead: 2.52,
    ruleCount: 0.91,
    unnamedForm: -4.57,
    namedForms: 0.78,
  },
  bias: -1.65,
  ruleConfidence: { lead: 2.47, documentLength: 0.19, bias: -4.86 },
  noneConfidence: { fits: -1.04, bias: 0.19 },
};
