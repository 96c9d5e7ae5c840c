import type { Candidate } from './candidates.ts';
import type { QuestionTerm } from './question-terms.ts';
import { getWordBeginning } from './word-beginning.ts';

/**
 * Evidence that a sentence is the answer. All values are between 0 and 1. Shares are weighted by the weights
 * of the terms.
 */
export interface Evidence {
  /** Share of the question's terms in the sentence. */
  coverage: number;
  /**
   * Share of the question's terms in the sentence if words with the same beginning, such as inflected forms,
   * count as equal.
   */
  likeness: number;
  /** Share of the question's terms that only the two neighbouring sentences add. */
  context: number;
  /** Share of the question's terms in the whole node, including title and headings. */
  node: number;
  /** Share of the neighbouring pairs of question terms that are neighbours in the sentence. */
  order: number;
  /**
   * Share of the question's names and numbers in the sentence and its neighbours. The share is 1 if the
   * question has none.
   */
  exact: number;
  /**
   * 1 if the sentence contains the kind of answer that the question asks for, such as a date that is not in
   * the question. Otherwise 0.
   */
  kind: number;
  /**
   * Number of terms that the question does not contain, scaled to the range from 0 to 1. A sentence that only
   * repeats the question answers nothing.
   */
  newTerms: number;
  /** 1 for the first node of the search results, and less for later nodes. */
  rank: number;
  /** 1 for the first sentence of its node, otherwise 0. */
  opening: number;
}

export interface Texts {
  /** Terms of each node, including its title and headings, in the order of the nodes. */
  nodes: readonly ReadonlySet<string>[];
  candidates: readonly Candidate[];
}

const ENOUGH_NEW_TERMS = 8;

export function collectEvidence(
  questionTerms: readonly QuestionTerm[],
  { nodes, candidates }: Texts,
  hasAnswerKind: ((sentence: string) => boolean) | undefined,
): Evidence[] {
  const weights = new Map(questionTerms.map(({ term, weight }) => [term, weight]));
  const exact = new Map(
    questionTerms.filter(({ isExact }) => isExact).map(({ term, weight }) => [term, weight]),
  );
  const pairs = listTermPairs(questionTerms);
  const beginnings = new Map([...weights.keys()].map((term) => [getWordBeginning(term), term]));
  const sets = candidates.map(({ terms }) => new Set(terms));
  const nodeShares = nodes.map((terms) => getWeightShare(weights, terms));
  return candidates.map(({ node, sentence, at, terms }, index) => {
    const own = sets[index]!;
    const around = new Set(own);
    for (const neighbour of [index - 1, index + 1]) {
      if (candidates[neighbour]?.node === node) for (const term of sets[neighbour]!) around.add(term);
    }
    const alike = new Set(own);
    for (const term of own) {
      const other = beginnings.get(getWordBeginning(term));
      if (other !== undefined) alike.add(other);
    }
    const coverage = getWeightShare(weights, own);
    let newTerms = 0;
    for (const term of own) if (!weights.has(term)) newTerms += 1;
    return {
      coverage,
      likeness: getWeightShare(weights, alike),
      context: getWeightShare(weights, around) - coverage,
      node: nodeShares[node]!,
      order: measureOrder(pairs, terms),
      exact: exact.size === 0 ? 1 : getWeightShare(exact, around),
      kind: hasAnswerKind?.(sentence) ? 1 : 0,
      newTerms: Math.min(1, newTerms / ENOUGH_NEW_TERMS),
      rank: 1 / (1 + node),
      opening: at === 0 ? 1 : 0,
    };
  });
}

export function getWeightShare(weights: ReadonlyMap<string, number>, terms: ReadonlySet<string>): number {
  let total = 0;
  let found = 0;
  for (const [term, weight] of weights) {
    total += weight;
    if (terms.has(term)) found += weight;
  }
  return total === 0 ? 0 : found / total;
}

function listTermPairs(questionTerms: readonly QuestionTerm[]): Map<string, number> {
  const pairs = new Map<string, number>();
  for (const [index, { term, weight }] of questionTerms.entries()) {
    const next = questionTerms[index + 1];
    if (next && next.term !== term) pairs.set(`${term} ${next.term}`, Math.min(weight, next.weight));
  }
  return pairs;
}

/**
 * Returns the share of the term pairs, from 0 to 1, that are neighbours in a text. One word may stand between
 * the two terms.
 */
function measureOrder(pairs: ReadonlyMap<string, number>, terms: readonly string[]): number {
  const found = new Set<string>();
  for (const [index, term] of terms.entries()) {
    for (const gap of [1, 2]) {
      const pair = `${term} ${terms[index + gap]}`;
      if (pairs.has(pair)) found.add(pair);
    }
  }
  return getWeightShare(pairs, found);
}
