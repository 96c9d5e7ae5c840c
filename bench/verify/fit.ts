import { scaleEvidence, type Weights } from '#src/reading/verify/confidence.ts';
import type { Sample } from './measure.ts';

const ROUNDS = 4_000;
const RATE = 0.5;
/** L2 regularization. It limits a weight that separates the samples without an error. */
const DECAY = 0.0005;

/**
 * Fits a logistic regression by gradient descent. True and wrong outputs have the same total weight, and so
 * do their kinds, even if few pages have tables. Weights are at most 0, because no evidence of doubt may
 * raise the confidence.
 */
export function fitWeights(samples: readonly Sample[]): Weights {
  const ofKind = new Map<string, number>();
  for (const { kind } of samples) ofKind.set(kind, (ofKind.get(kind) ?? 0) + 1);
  const rows = samples.map(({ evidence, isTrue, kind }) => ({
    figures: { bias: 1, ...scaleEvidence(evidence) },
    isTrue,
    weight: 1 / ofKind.get(kind)!,
  }));
  const names = Object.keys(rows[0]!.figures) as (keyof Weights)[];
  const share = {
    true: new Set(samples.filter(({ isTrue }) => isTrue).map(({ kind }) => kind)).size,
    false: new Set(samples.filter(({ isTrue }) => !isTrue).map(({ kind }) => kind)).size,
  };
  const weights = Object.fromEntries(names.map((name) => [name, 0])) as Weights;
  for (let round = 0; round < ROUNDS; round++) {
    const slope = Object.fromEntries(names.map((name) => [name, 0])) as Weights;
    for (const { figures, isTrue, weight } of rows) {
      const sum = names.reduce((total, name) => total + weights[name] * figures[name], 0);
      const missed = Number(isTrue) - 1 / (1 + Math.exp(-sum));
      const error = (weight * missed) / (2 * (isTrue ? share.true : share.false));
      for (const name of names) slope[name] += error * figures[name];
    }
    for (const name of names) {
      weights[name] += RATE * (slope[name] - (name === 'bias' ? 0 : DECAY * weights[name]));
      if (name !== 'bias') weights[name] = Math.min(0, weights[name]);
    }
  }
  return Object.fromEntries(names.map((name) => [name, Math.round(weights[name] * 100) / 100])) as Weights;
}
