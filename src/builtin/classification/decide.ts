import { largest } from '#src/lib/extremes.ts';
import type { Evidence, RuleEvidence } from './evidence.ts';
import type { Weights } from './weights.ts';

/**
 * Measurements that show whether any rule fits the document. Only `lead` and `ruleCount` depend on the number
 * of rules.
 */
export interface Signs {
  /**
   * Z-score of the best rule: how many standard deviations its similarity lies above the average similarity
   * of general topics. It is multiplied by the share of the document with known meaning, and counts the
   * less, the more forms separate the rules.
   */
  topicZScore: number;
  /**
   * How far the share of the document's words with known meaning lies below one half. 0 if the share is
   * higher. It counts the less, the more the document shows the form that the best rule names.
   */
  unknownShare: number;
  /** Share of the best rule's words with known meaning. A rule of unknown words fits only by chance. */
  knownRuleShare: number;
  /** Logarithm of the number of terms of the best rule. A long rule shares some terms with any document. */
  ruleTermCount: number;
  /**
   * Square root of the best rule's lead over the mean score. The mean includes one score of 0, for no rule.
   */
  lead: number;
  /** Logarithm of the number of rules. With more rules, it is more common that one of them fits. */
  ruleCount: number;
  /** How much the document shows a form that no rule names, from 0 to 1. */
  unnamedForm: number;
  /**
   * How much the forms that the rules name separate the rules, from 0 to 1: high for kinds of documents, and low for topics.
   */
  separatingForms: number;
  /**
   * How much the best rule has nothing but meaning for it, from 0 to 1. It counts the more, the more
   * forms separate the rules, because what a document is about tells little about what kind of document it is.
   */
  unsupported: number;
  /** Logarithm of the number of the document's distinct terms. The more terms, the more reliable the evidence. */
  documentLength: number;
}

/** Measurements that decide whether any rule fits. */
export type FitSign = Exclude<keyof Signs, 'documentLength'>;

export interface Decision {
  /** Indexes of the rules, the most probable rule first. */
  order: number[];
  /** True if it is more probable that some rule fits than that none does. */
  isFit: boolean;
  /**
   * Probability from 0 to 1 that the answer is right. The answer is either the most probable rule or that no
   * rule fits.
   */
  confidence: number;
  /** Probability from 0 to 1 of each rule if one of them fits, in the order of `order`. */
  shares: number[];
}

/**
 * Measurements that determine the confidence in the most probable rule, once some rule is considered to fit.
 */
export const CONFIDENCE_SIGNS = ['lead', 'documentLength'] as const satisfies (keyof Signs)[];

/** Number of rules beyond which more rules make no difference. */
const MAX_RULE_COUNT = 5;

/** Logit of the probability that some rule fits a document without words and without a form. */
const EMPTY_LOGIT = -3;

/** Returns the score of each rule. The more forms separate the rules, the more the form of the document counts. */
export function scoreRules(
  { byRule, separatingForms }: RuleEvidence,
  { topicEvidence, kindEvidence }: Pick<Weights, 'topicEvidence' | 'kindEvidence'>,
): number[] {
  return byRule.map(
    (evidence) =>
      (1 - separatingForms) * weigh(evidence, topicEvidence) +
      separatingForms * weigh(evidence, kindEvidence),
  );
}

function weigh<Name extends keyof Evidence>(evidence: Evidence, weights: Record<Name, number>): number {
  let score = 0;
  for (const name of Object.keys(weights) as Name[]) score += weights[name] * evidence[name];
  return score;
}

export function computeSigns(weighed: RuleEvidence, scores: number[]): Signs {
  const { byRule, ruleTermCounts, knownRuleShares, knownShare, topicSimilarities } = weighed;
  const best = scores.indexOf(largest(scores));
  const mean = computeMean(topicSimilarities);
  const spread = Math.sqrt(computeMean(topicSimilarities.map((value) => (value - mean) ** 2))) || 1;
  const others = scores.reduce((sum, score) => sum + score, 0) / (scores.length + 1);
  return {
    topicZScore: ((byRule[best]!.meaning - mean) / spread) * knownShare * (1 - weighed.separatingForms),
    unknownShare: Math.max(0, 0.5 - knownShare) * (1 - byRule[best]!.form),
    knownRuleShare: knownRuleShares[best]!,
    ruleTermCount: Math.log(1 + ruleTermCounts[best]!),
    lead: Math.sqrt(Math.max(0, scores[best]! - others)),
    ruleCount: Math.log(Math.min(scores.length, MAX_RULE_COUNT)),
    unnamedForm: weighed.unnamedForm,
    separatingForms: weighed.separatingForms,
    unsupported: weighed.separatingForms * Math.max(0, 1 - byRule[best]!.spelling - byRule[best]!.form),
    documentLength: Math.log(1 + weighed.documentTermCount),
  };
}

/**
 * Decides in three steps whether any rule fits, which rule fits (a conditional logit over the rules), and how
 * certain the answer is.
 */
export function decide(weighed: RuleEvidence, weights: Weights): Decision {
  const scores = scoreRules(weighed, weights);
  if (scores.length === 0) return { order: [], isFit: false, confidence: 1, shares: [] };
  const order = scores.map((_, index) => index).sort((left, right) => scores[right]! - scores[left]!);
  const shares = computeShares(order.map((index) => scores[index]!));
  const signs = computeSigns(weighed, scores);
  const isEmpty = weighed.documentTermCount === 0 && weighed.byRule.every(({ form }) => form === 0);
  const fits = isEmpty ? EMPTY_LOGIT : computeFitLogit(signs, weights);
  const { ruleConfidence, noneConfidence } = weights;
  const sure =
    fits >= 0
      ? CONFIDENCE_SIGNS.reduce((sum, name) => sum + ruleConfidence[name] * signs[name], ruleConfidence.bias)
      : noneConfidence.bias + noneConfidence.fits * fits;
  return { order, isFit: fits >= 0, confidence: 1 / (1 + Math.exp(-sure)), shares };
}

/** Returns the logit of the probability that some rule fits. */
export function computeFitLogit(
  signs: Signs,
  { signs: weights, bias }: Pick<Weights, 'signs' | 'bias'>,
): number {
  let logit = bias;
  for (const name of Object.keys(weights) as FitSign[]) logit += weights[name] * signs[name];
  return logit;
}

/** Returns the softmax of scores. The highest score must come first. */
function computeShares(scores: number[]): number[] {
  const powers = scores.map((score) => Math.exp(score - scores[0]!));
  const all = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / all);
}

const computeMean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
