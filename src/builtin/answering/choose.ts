import { largest } from '#src/lib/extremes.ts';
import { beginningOf } from './beginning.ts';
import { type Evidence, shareOf } from './evidence.ts';
import type { Reading } from './reading.ts';

/** What tells whether a sentence answers at all; none of it depends on the language, and most is 0..1. */
interface Signs {
  /** Share of the question in the sentence, and in its node, where words count that only begin alike. */
  sentence: number;
  node: number;
  /** How much of what the other nodes lack on average, which words in common explain, sentence and node have. */
  sentenceLift: number;
  nodeLift: number;
  /** Share of the question that no node has. */
  nowhere: number;
  /** Pairs of neighbouring terms of the question that are neighbours in the node. */
  order: number;
  /** Names and numbers of the question in the node. */
  exact: number;
}

/** Where a question has neither names nor numbers: what they say on average. */
const NO_NAMES = 0.7;

const byBeginning = (asked: Reading['asked']) =>
  new Map(asked.map(({ term, weight }) => [beginningOf(term), weight]));

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<keyof Signs, number>;
  bias: number;
  /** Less sure than this, nothing is said. */
  leastConfidence: number;
}

/**
 * Fitted on questions with known answers in nine languages; `npm run bench:answers -- --fit` prints them, and how those do
 * that were fitted without the language they are measured on.
 */
export const FITTED: Weights = {
  evidence: {
    coverage: 3.73,
    likeness: 3.96,
    context: 0.89,
    node: 2.79,
    order: 2.34,
    exact: 2,
    kind: 0.78,
    news: -0.49,
    rank: 3.01,
    opening: -0.31,
  },
  signs: {
    sentence: 1.28,
    node: 1.28,
    sentenceLift: 3.01,
    nodeLift: 2.76,
    nowhere: -1.94,
    order: 4.05,
    exact: 1.78,
  },
  bias: -3.28,
  leastConfidence: 0.236,
};

/** A second sentence is said when it is this likely, compared with the first, to hold the answer. */
const NEARLY = 0.07;
/** Of another node, when it is about as likely. */
const NEARLY_ELSEWHERE = 0.6;
/** Sentences that share so many of their terms say the same. */
const SAME = 0.8;

/** By position in the candidates: at most two, the likelier first; none when nothing seems to answer. */
export function choose(reading: Reading, weights: Weights = FITTED): number[] {
  const scores = reading.evidence.map((each) => scoreOf(each, weights));
  const order = scores.map((_, index) => index).sort((a, b) => scores[b]! - scores[a]!);
  const [best, ...others] = order;
  if (best === undefined || confidenceOf(signsOf(reading, best), weights) < weights.leastConfidence)
    return [];
  const { node } = reading.candidates[best]!;
  const second = others.find((index) => {
    const likelihood = Math.exp(scores[index]! - scores[best]!);
    const least = reading.candidates[index]!.node === node ? NEARLY : NEARLY_ELSEWHERE;
    return likelihood >= least && !saysTheSame(reading, best, index);
  });
  return second === undefined ? [best] : [best, second];
}

/** The logarithm of how likely a sentence is to hold the answer, but for a constant that all of them share. */
export const scoreOf = (evidence: Evidence, weights: Weights): number => weighted(evidence, weights.evidence);

/** How likely it is that the sentence answers, 0..1, were half of all questions answerable. */
export const confidenceOf = (signs: Signs, { signs: weights, bias }: Weights): number =>
  1 / (1 + Math.exp(-bias - weighted(signs, weights)));

function weighted<Name extends string>(values: Record<Name, number>, weights: Record<Name, number>): number {
  let sum = 0;
  for (const name in weights) sum += weights[name] * values[name];
  return sum;
}

function saysTheSame({ candidates }: Reading, one: number, other: number): boolean {
  const a = new Set(candidates[one]!.terms);
  const b = new Set(candidates[other]!.terms);
  const shared = [...a].filter((term) => b.has(term)).length;
  return shared >= SAME * Math.min(a.size, b.size);
}

/** The signs of one candidate. */
export function signsOf({ asked, candidates, evidence, nodes }: Reading, chosen: number): Signs {
  const { node } = candidates[chosen]!;
  const weights = byBeginning(asked);
  const exact = byBeginning(asked.filter(({ isExact }) => isExact));
  const beginnings = nodes.map((terms) => new Set([...terms].map(beginningOf)));
  const shares = beginnings.map((terms) => shareOf(weights, terms));
  const others = shares.filter((_, index) => index !== node);
  const usual = others.length === 0 ? 0 : others.reduce((sum, share) => sum + share, 0) / others.length;
  const lift = (share: number) => (share - usual) / (1.01 - usual);
  const sentence = evidence[chosen]!.likeness;
  const anywhere = new Set(beginnings.flatMap((terms) => [...terms]));
  return {
    sentence,
    node: shares[node]!,
    sentenceLift: lift(sentence),
    nodeLift: lift(shares[node]!),
    nowhere: 1 - shareOf(weights, anywhere),
    order: largest(evidence.filter((_, index) => candidates[index]!.node === node).map((each) => each.order)),
    exact: exact.size === 0 ? NO_NAMES : shareOf(exact, beginnings[node]!),
  };
}
