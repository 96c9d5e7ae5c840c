import type { CONFIDENCE_SIGNS, FitSign } from './decide.ts';
import type { Evidence } from './evidence.ts';

/** Evidence for rules that forms do not separate. */
export type TopicEvidence = 'words' | 'spelling' | 'meaning' | 'votes';

export interface Weights {
  /** Weights for rules that forms do not separate, such as topics. */
  topicEvidence: Record<TopicEvidence, number>;
  /** Weights for rules that each name another form. The weights of other rules lie between the two. */
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
  topicEvidence: { words: 2.848, spelling: 2.236, meaning: 2.448, votes: 1.766 },
  kindEvidence: {
    words: 0.992,
    spelling: 0.749,
    meaning: 4.059,
    votes: 2.965,
    opening: 2.1,
    form: 4.394,
    missing: -1.937,
  },
  signs: {
    topicZScore: 1.094,
    unknownShare: 3.204,
    knownRuleShare: -4.107,
    ruleTermCount: -0.316,
    lead: 2.605,
    ruleCount: 0.918,
    unnamedForm: -3.392,
    separatingForms: 2.385,
    unsupported: -2.043,
  },
  bias: -1.783,
  ruleConfidence: { lead: 2.467, documentLength: 0.055, bias: -4.228 },
  noneConfidence: { fits: -1.233, bias: -0.035 },
};
