import type { AskedTerm } from './asked-terms.ts';
import { beginningOf } from './beginning.ts';
import type { Candidate } from './candidates.ts';

/** What speaks for a sentence as the answer; each is 0..1, and shares are by the terms' weights. */
export interface Evidence {
  /** Share of the question that the sentence itself says. */
  coverage: number;
  /** The same where words count that only begin alike, as inflected ones do. */
  likeness: number;
  /** What its two neighbours add. */
  context: number;
  /** Share that the whole node says, with title and headings. */
  node: number;
  /** Share of neighbouring pairs of the question found as neighbours, in the sentence. */
  order: number;
  /** Share of the names and numbers, in sentence and neighbours; 1 if none is asked with. */
  exact: number;
  /** It holds the kind of answer that is asked for. */
  kind: number;
  /** Terms that the question does not have: what only repeats the question tells nothing. */
  news: number;
  /** 1 for what search put first. */
  rank: number;
  /** 1 for the first sentence of its node. */
  opening: number;
}

export interface Texts {
  /** Of the nodes, in order: all that they, their titles and headings say. */
  nodes: readonly ReadonlySet<string>[];
  candidates: readonly Candidate[];
}

const ENOUGH_NEWS = 8;

export function evidenceFor(
  asked: readonly AskedTerm[],
  { nodes, candidates }: Texts,
  holdsKind: ((sentence: string) => boolean) | undefined,
): Evidence[] {
  const weights = new Map(asked.map(({ term, weight }) => [term, weight]));
  const exact = new Map(asked.filter(({ isExact }) => isExact).map(({ term, weight }) => [term, weight]));
  const pairs = pairsOf(asked);
  const beginnings = new Map([...weights.keys()].map((term) => [beginningOf(term), term]));
  const sets = candidates.map(({ terms }) => new Set(terms));
  const nodeShares = nodes.map((terms) => shareOf(weights, terms));
  return candidates.map(({ node, sentence, at, terms }, index) => {
    const own = sets[index]!;
    const around = new Set(own);
    for (const beside of [index - 1, index + 1]) {
      if (candidates[beside]?.node === node) for (const term of sets[beside]!) around.add(term);
    }
    const alike = new Set(own);
    for (const term of own) {
      const other = beginnings.get(beginningOf(term));
      if (other !== undefined) alike.add(other);
    }
    const coverage = shareOf(weights, own);
    let news = 0;
    for (const term of own) if (!weights.has(term)) news += 1;
    return {
      coverage,
      likeness: shareOf(weights, alike),
      context: shareOf(weights, around) - coverage,
      node: nodeShares[node]!,
      order: orderOf(pairs, terms),
      exact: exact.size === 0 ? 1 : shareOf(exact, around),
      kind: holdsKind?.(sentence) ? 1 : 0,
      news: Math.min(1, news / ENOUGH_NEWS),
      rank: 1 / (1 + node),
      opening: at === 0 ? 1 : 0,
    };
  });
}

export function shareOf(weights: ReadonlyMap<string, number>, terms: ReadonlySet<string>): number {
  let total = 0;
  let found = 0;
  for (const [term, weight] of weights) {
    total += weight;
    if (terms.has(term)) found += weight;
  }
  return total === 0 ? 0 : found / total;
}

function pairsOf(asked: readonly AskedTerm[]): Map<string, number> {
  const pairs = new Map<string, number>();
  for (const [index, { term, weight }] of asked.entries()) {
    const next = asked[index + 1];
    if (next && next.term !== term) pairs.set(`${term} ${next.term}`, Math.min(weight, next.weight));
  }
  return pairs;
}

/** One word may stand between the two. */
function orderOf(pairs: ReadonlyMap<string, number>, terms: readonly string[]): number {
  const found = new Set<string>();
  for (const [index, term] of terms.entries()) {
    for (const gap of [1, 2]) {
      const pair = `${term} ${terms[index + gap]}`;
      if (pairs.has(pair)) found.add(pair);
    }
  }
  return shareOf(pairs, found);
}
