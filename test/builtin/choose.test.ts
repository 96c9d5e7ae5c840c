import { expect, test } from 'vitest';
import type { AnalysedQuestion } from '#src/builtin/answering/analyse-question.ts';
import { chooseSentences, FITTED, type Weights } from '#src/builtin/answering/choose.ts';

const setToZero = <Name extends string>(weights: Record<Name, number>) =>
  Object.fromEntries(Object.keys(weights).map((name) => [name, 0])) as Record<Name, number>;

/** Weights that trust every sentence and use only the coverage as its log-likelihood. */
const weights: Weights = {
  evidence: { ...setToZero(FITTED.evidence), coverage: 1 },
  signs: setToZero(FITTED.signs),
  bias: 1,
  minConfidence: 0.5,
};

/** Chooses from sentences without common words that have the given nodes and relative likelihoods. */
function choose(...sentences: [node: number, likelihood: number][]): number[] {
  const reading: AnalysedQuestion = {
    questionTerms: [],
    candidates: sentences.map(([node], at) => ({ sentence: `s${at}`, node, at, terms: [`s${at}`] })),
    evidence: sentences.map(([, likelihood]) => ({
      ...setToZero(FITTED.evidence),
      coverage: Math.log(likelihood),
    })),
    nodes: [new Set(), new Set(), new Set()],
  };
  return chooseSentences(reading, weights);
}

test('a sentence of another passage is quoted if it is at least half as likely as the best one', () => {
  expect(choose([0, 1], [1, 0.55])).toEqual([0, 1]);
  expect(choose([0, 1], [1, 0.45])).toEqual([0]);
});

test('a sentence of the same passage is quoted if it is at least a tenth as likely as the best one', () => {
  expect(choose([0, 1], [0, 0.15])).toEqual([0, 1]);
  expect(choose([0, 1], [0, 0.05])).toEqual([0]);
});

test('an unlikely sentence of another passage does not end the search for sentences', () => {
  expect(choose([0, 0.15], [1, 0.4], [2, 1])).toEqual([2]);
  expect(choose([0, 0.15], [1, 0.4], [0, 1])).toEqual([2, 0]);
});

test('three sentences are quoted, from the most likely to the least likely one', () => {
  expect(choose([0, 0.6], [0, 0.9], [0, 1], [0, 0.8])).toEqual([2, 1, 3]);
});
