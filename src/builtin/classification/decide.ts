import { largest } from '#src/lib/extremes.ts';
import type { Evidence, Weighed } from './evidence.ts';
import type { Weights } from './weights.ts';

/** What tells whether any rule fits at all; all but `lead` and `choice` do not depend on how many rules there are. */
export interface Signs {
  /** How far the likeliest rule is above what texts in general are about, in their spread, for so much as is known. */
  standing: number;
  /** What is missing to half of the document, if less has a known meaning. */
  unknown: number;
  /** How much of the rule's is: a rule of words that nobody knows fits by chance only. */
  ruleKnown: number;
  /** Logarithm of how many terms the rule asks for: a long one meets some in any document. */
  asked: number;
  /** The root of how far it is ahead of the others' mean, one among them that nothing speaks for. */
  lead: number;
  /** Logarithm of how many rules there are: among more of them one fits more often. */
  choice: number;
}

export interface Decision {
  /** The places of the rules, the likeliest first. */
  order: number[];
  /** Whether it is likelier that some rule fits than that none does. */
  isFit: boolean;
  /** How probable it is that the likeliest rule is right, or that it is right that none fits, 0..1. */
  confidence: number;
  /** How probable each of them is, in that order, if one fits, 0..1. */
  shares: number[];
}

/** What tells how sure it is that the likeliest rule is right, once one is held to fit. */
export const GROUNDS = ['lead', 'ruleKnown'] as const satisfies (keyof Signs)[];

/** More rules than these make no difference. */
const MANY_RULES = 5;

export function scoreOf(evidence: Evidence, { evidence: weights }: Pick<Weights, 'evidence'>): number {
  return (
    weights.words * evidence.words +
    weights.spelling * evidence.spelling +
    weights.meaning * evidence.meaning +
    weights.votes * evidence.votes
  );
}

export function signsOf(
  { ofRules, asked, knownOfRules, known, background }: Weighed,
  scores: number[],
): Signs {
  const best = scores.indexOf(largest(scores));
  const mean = meanOf(background);
  const spread = Math.sqrt(meanOf(background.map((value) => (value - mean) ** 2))) || 1;
  const others = scores.reduce((sum, score) => sum + score, 0) / (scores.length + 1);
  return {
    standing: ((ofRules[best]!.meaning - mean) / spread) * known,
    unknown: Math.max(0, 0.5 - known),
    ruleKnown: knownOfRules[best]!,
    asked: Math.log(1 + asked[best]!),
    lead: Math.sqrt(Math.max(0, scores[best]! - others)),
    choice: Math.log(Math.min(scores.length, MANY_RULES)),
  };
}

/** First whether any rule fits, then which of them, a conditional logit over the rules, then how sure that is. */
export function decide(weighed: Weighed, weights: Weights): Decision {
  const scores = weighed.ofRules.map((evidence) => scoreOf(evidence, weights));
  if (scores.length === 0) return { order: [], isFit: false, confidence: 1, shares: [] };
  const order = scores.map((_, index) => index).sort((left, right) => scores[right]! - scores[left]!);
  const shares = sharesOf(order.map((index) => scores[index]!));
  const signs = signsOf(weighed, scores);
  const fits = fitOf(signs, weights);
  const { sureOfRule, sureOfNone } = weights;
  const sure =
    fits >= 0
      ? GROUNDS.reduce((sum, name) => sum + sureOfRule[name] * signs[name], sureOfRule.bias)
      : sureOfNone.bias + sureOfNone.fits * fits;
  return { order, isFit: fits >= 0, confidence: 1 / (1 + Math.exp(-sure)), shares };
}

/** Logit of some rule fitting. */
export function fitOf(signs: Signs, { signs: weights, bias }: Pick<Weights, 'signs' | 'bias'>): number {
  return (
    bias +
    weights.standing * signs.standing +
    weights.unknown * signs.unknown +
    weights.ruleKnown * signs.ruleKnown +
    weights.asked * signs.asked +
    weights.lead * signs.lead +
    weights.choice * signs.choice
  );
}

/** Of scores, the highest first. */
function sharesOf(scores: number[]): number[] {
  const powers = scores.map((score) => Math.exp(score - scores[0]!));
  const all = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / all);
}

const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
