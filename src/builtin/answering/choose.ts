import { largest } from '#src/lib/extremes.ts';
import type { AnalysedQuestion } from './analyse-question.ts';
import { type Evidence, getWeightShare } from './evidence.ts';
import { getWordBeginning } from './word-beginning.ts';

/**
 * Measurements that show whether a sentence answers the question at all. They do not depend on the language,
 * and most are between 0 and 1.
 */
interface Signs {
  /**
   * Weighted share of the question's terms in the sentence, and in its node. Words with the same beginning
   * count as equal.
   */
  sentence: number;
  node: number;
  /**
   * How far the share of the question in the sentence or node exceeds the average share of the other nodes.
   * The difference is divided by one minus that average.
   */
  sentenceLift: number;
  nodeLift: number;
  /** Weighted share of the question's terms that no node contains. */
  missing: number;
  /** Share of the neighbouring terms of the question that are neighbours in the best sentence of the node. */
  order: number;
  /** Share of the question's names and numbers that are in the node. */
  exact: number;
  /** 1 if another sentence contains the asked kind of answer but the chosen one does not. Otherwise 0. */
  lacksKind: number;
}

/**
 * Value of `exact` for a question without names and numbers. It equals the average value for other questions.
 */
const DEFAULT_EXACT_SHARE = 0.7;

const weighByBeginning = (terms: AnalysedQuestion['questionTerms']) =>
  new Map(terms.map(({ term, weight }) => [getWordBeginning(term), weight]));

export interface Weights {
  evidence: Record<keyof Evidence, number>;
  signs: Record<keyof Signs, number>;
  bias: number;
  /** Minimum confidence. With less confidence, no answer is given. */
  minConfidence: number;
}

/**
 * Weights fitted on eleven sets of questions with known answers in nine languages. `npm run bench:answers -- --fit` prints
 * them. It also measures each set with weights that were fitted on the other sets.
 */
export const FITTED: Weights = {
  evidence: {
    coverage: 3.48,
    likeness: 3.74,
    context: 0.91,
    node: 2.62,
    order: 1.37,
    exact: 1.67,
    kind: 1.66,
    newTerms: 2.03,
    rank: 1.87,
    opening: -0.18,
  },
  signs: {
    sentence: 1.16,
    node: 1.59,
    sentenceLift: 0.49,
    nodeLift: 3.72,
    missing: -1.44,
    order: 2.2,
    exact: 1.35,
    lacksKind: -0.55,
  },
  bias: -3.17,
  minConfidence: 0.172,
};

/** Maximum number of quoted sentences. */
const MAX_SENTENCES = 3;
/**
 * Minimum likelihood of another sentence, relative to the best sentence. A sentence of another passage adds a
 * citation, and therefore has to be at least half as likely as the best one.
 */
const MIN_LIKELIHOOD = { samePassage: 0.1, otherPassage: 0.5 };
/** Share of the question's terms from which the best sentence counts as a complete answer. */
const MOST_OF_QUESTION = 0.8;
/**
 * A further sentence may be about something else if its share of the question's terms is less than this part of the
 * best sentence's share.
 */
const MUCH_OF_BEST = 0.75;
/** Two sentences that have at least this share of their terms in common count as duplicates. */
const DUPLICATE_SHARE = 0.8;

/**
 * Returns the indexes of up to three candidates, from the most likely to the least likely one. Returns an empty
 * array if nothing seems to answer the question.
 */
export function chooseSentences(reading: AnalysedQuestion, weights: Weights = FITTED): number[] {
  const scores = reading.evidence.map((each) => scoreCandidate(each, weights));
  const order = scores.map((_, index) => index).sort((a, b) => scores[b]! - scores[a]!);
  const [best, ...others] = order;
  if (best === undefined || computeConfidence(computeSigns(reading, best), weights) < weights.minConfidence)
    return [];
  const chosen = [best];
  for (const index of others) {
    if (chosen.length === MAX_SENTENCES) break;
    const isSamePassage = reading.candidates[index]!.node === reading.candidates[best]!.node;
    const required = isSamePassage ? MIN_LIKELIHOOD.samePassage : MIN_LIKELIHOOD.otherPassage;
    if (Math.exp(scores[index]! - scores[best]!) < required) continue;
    if (isNeedless(reading, chosen, index)) continue;
    if (!chosen.some((other) => isDuplicate(reading, other, index))) chosen.push(index);
  }
  return chosen;
}

/**
 * Returns whether a further sentence is left out. It is kept if the best sentence lacks the kind of answer that the
 * question asks for, such as a date. It is also kept if it has a term of the question that no chosen sentence has.
 * Otherwise it is left out in two cases. Either the best sentence has most terms of the question, or the further
 * sentence is about something else, such as "south quay" instead of "north quay".
 */
function isNeedless(reading: AnalysedQuestion, chosen: readonly number[], further: number): boolean {
  const { questionTerms, evidence } = reading;
  const [best] = chosen as [number];
  if (evidence[best]!.kind === 0) return false;
  const asked = questionTerms.map(({ term }) => getWordBeginning(term));
  const known = new Set(chosen.flatMap((index) => listBeginnings(reading, index)));
  const own = new Set(listBeginnings(reading, further));
  if (asked.some((term) => own.has(term) && !known.has(term))) return false;
  if (evidence[best]!.likeness >= MOST_OF_QUESTION) return true;
  const isAboutLess = evidence[further]!.likeness < MUCH_OF_BEST * evidence[best]!.likeness;
  return evidence[further]!.kind > 0 && isAboutLess && splitsPair(asked, listBeginnings(reading, best), own);
}

const listBeginnings = ({ candidates }: AnalysedQuestion, index: number) =>
  candidates[index]!.terms.map(getWordBeginning);

/** Returns whether two neighbouring terms of the question are neighbours in the best sentence, and `other` has only one. */
function splitsPair(asked: readonly string[], best: readonly string[], other: ReadonlySet<string>): boolean {
  return asked.some((left, at) => {
    const right = asked[at + 1];
    if (right === undefined || left === right || other.has(left) === other.has(right)) return false;
    return best.some((term, index) => term === left && best[index + 1] === right);
  });
}

/**
 * Returns the logarithm of a sentence's likelihood to contain the answer, up to a constant that all sentences
 * share.
 */
export const scoreCandidate = (evidence: Evidence, weights: Weights): number =>
  sumWeighted(evidence, weights.evidence);

/**
 * Returns the probability from 0 to 1 that the sentence answers the question, assuming that half of all
 * questions are answerable.
 */
export const computeConfidence = (signs: Signs, { signs: weights, bias }: Weights): number =>
  1 / (1 + Math.exp(-bias - sumWeighted(signs, weights)));

function sumWeighted<Name extends string>(
  values: Record<Name, number>,
  weights: Record<Name, number>,
): number {
  let sum = 0;
  for (const name in weights) sum += weights[name] * values[name];
  return sum;
}

function isDuplicate({ candidates }: AnalysedQuestion, one: number, other: number): boolean {
  const a = new Set(candidates[one]!.terms);
  const b = new Set(candidates[other]!.terms);
  const shared = [...a].filter((term) => b.has(term)).length;
  return shared >= DUPLICATE_SHARE * Math.min(a.size, b.size);
}

export function computeSigns(
  { questionTerms, candidates, evidence, nodes }: AnalysedQuestion,
  chosen: number,
): Signs {
  const { node } = candidates[chosen]!;
  const weights = weighByBeginning(questionTerms);
  const exact = weighByBeginning(questionTerms.filter(({ isExact }) => isExact));
  const beginnings = nodes.map((terms) => new Set([...terms].map(getWordBeginning)));
  const shares = beginnings.map((terms) => getWeightShare(weights, terms));
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
    missing: 1 - getWeightShare(weights, anywhere),
    order: largest(evidence.filter((_, index) => candidates[index]!.node === node).map((each) => each.order)),
    lacksKind: evidence[chosen]!.kind === 0 && evidence.some(({ kind }) => kind > 0) ? 1 : 0,
    exact: exact.size === 0 ? DEFAULT_EXACT_SHARE : getWeightShare(exact, beginnings[node]!),
  };
}
