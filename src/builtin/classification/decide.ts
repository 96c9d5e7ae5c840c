import type { Evidence, Weighed } from './evidence.ts';
import type { Weights } from './weights.ts';

/** What tells whether any rule fits at all. */
export interface Signs {
  /** Of the likeliest rule. */
  words: number;
  meaning: number;
  /** Share of the document that is near to no rule; where much is near to several, the likeliest says less. */
  unexplained: number;
  /** The root of how far the likeliest rule is ahead of the others' mean, one among them that nothing speaks for. */
  lead: number;
}

export interface Decision {
  /** The places of the rules, the likeliest first. */
  order: number[];
  /** How probable it is that some rule fits, 0..1. */
  fits: number;
  /** How probable it is of each of them, in that order, that it is the right one, 0..1. */
  probabilities: number[];
}

export function scoreOf(evidence: Evidence, { evidence: weights }: Pick<Weights, 'evidence'>): number {
  return (
    weights.words * evidence.words +
    weights.spelling * evidence.spelling +
    weights.meaning * evidence.meaning +
    weights.votes * evidence.votes
  );
}

export function signsOf({ ofRules, unexplained }: Weighed, scores: number[]): Signs {
  const best = scores.indexOf(Math.max(...scores));
  const mean = scores.reduce((sum, score) => sum + score, 0) / (scores.length + 1);
  const { words, meaning } = ofRules[best]!;
  return { words, meaning, unexplained, lead: Math.sqrt(Math.max(0, scores[best]! - mean)) };
}

/** First whether any rule fits, then which of them: a conditional logit over the rules. */
export function decide(weighed: Weighed, weights: Weights): Decision {
  const scores = weighed.ofRules.map((evidence) => scoreOf(evidence, weights));
  if (scores.length === 0) return { order: [], fits: 0, probabilities: [] };
  const order = scores.map((_, index) => index).sort((left, right) => scores[right]! - scores[left]!);
  const signs = signsOf(weighed, scores);
  const sum =
    weights.bias +
    weights.signs.words * signs.words +
    weights.signs.meaning * signs.meaning +
    weights.signs.unexplained * signs.unexplained +
    weights.signs.lead * signs.lead;
  const fits = 1 / (1 + Math.exp(-sum));
  const powers = order.map((index) => Math.exp(scores[index]! - scores[order[0]!]!));
  const all = powers.reduce((total, power) => total + power, 0);
  return { order, fits, probabilities: powers.map((power) => (fits * power) / all) };
}
