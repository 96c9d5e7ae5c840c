import type { CONFIDENCE_SIGNS, FitSign } from './decide.ts';
import type { Evidence } from './evidence.ts';

/** Evidence for rules that name no forms. */
export type TopicEvidence = 'words' | 'spelling' | 'meaning' | 'votes';

export interface Weights {
  /** Weights for rules that name no forms, such as topics. */
  topicEvidence: Record<TopicEvidence, number>;
  /** Weights for rules that all name forms. The weights of other rules lie between the two. */
  kindEvidence: Record<keyof Evidence, number>;
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
  topicEvidence: { words: 2.91, spelling: 2.29, meaning: 2.42, votes: 1.74 },
  kindEvidence: {
    words: 0.73,
    spelling: 0.65,
    meaning: 4.53,
    votes: 3.2,
    opening: 0.67,
    form: 3.45,
    missing: -1.87,
  },
  signs: {
    topicZScore: 1.08,
    unknownShare: 3.51,
    knownRuleShare: -3.25,
    ruleTermCount: -0.17,
    lead: 2.53,
    ruleCount: 0.93,
    unnamedForm: -3.13,
    namedForms: 2.41,
    unsupported: -2.4,
  },
  bias: -2.73,
  ruleConfidence: { lead: 2.46, documentLength: 0.01, bias: -4.08 },
  noneConfidence: { fits: -1.33, bias: -0.13 },
};
