import { type Evidence, scaled, type Weights } from '#src/reading/verify/confidence.ts';

const ROUNDS = 4_000;
const RATE = 0.5;
/** Keeps a figure that parts the samples without an error from growing without end. */
const DECAY = 0.0005;

/** Logistic regression by gradient descent; true outputs and others weigh the same together. No doubt raises confidence. */
export function fitWeights(samples: readonly { evidence: Evidence; isTrue: boolean }[]): Weights {
  const rows = samples.map(({ evidence, isTrue }) => ({ figures: { bias: 1, ...scaled(evidence) }, isTrue }));
  const names = Object.keys(rows[0]!.figures) as (keyof Weights)[];
  const share = {
    true: rows.filter(({ isTrue }) => isTrue).length,
    false: rows.filter(({ isTrue }) => !isTrue).length,
  };
  const weights = Object.fromEntries(names.map((name) => [name, 0])) as Weights;
  for (let round = 0; round < ROUNDS; round++) {
    const slope = Object.fromEntries(names.map((name) => [name, 0])) as Weights;
    for (const { figures, isTrue } of rows) {
      const sum = names.reduce((total, name) => total + weights[name] * figures[name], 0);
      const error = (Number(isTrue) - 1 / (1 + Math.exp(-sum))) / (2 * (isTrue ? share.true : share.false));
      for (const name of names) slope[name] += error * figures[name];
    }
    for (const name of names) {
      weights[name] += RATE * (slope[name] - (name === 'bias' ? 0 : DECAY * weights[name]));
      if (name !== 'bias') weights[name] = Math.min(0, weights[name]);
    }
  }
  return Object.fromEntries(names.map((name) => [name, Math.round(weights[name] * 100) / 100])) as Weights;
}
