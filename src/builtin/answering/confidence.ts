import { largest } from '#src/lib/extremes.ts';
import { beginningOf } from './beginning.ts';
import { shareOf } from './evidence.ts';
import type { Reading } from './reading.ts';

/** What tells whether a sentence answers at all; none of it depends on the language, and most is 0..1. */
export interface Signs {
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

const byBeginning = (asked: Reading['asked']) =>
  new Map(asked.map(({ term, weight }) => [beginningOf(term), weight]));
