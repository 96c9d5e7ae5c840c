import { type EvidenceModel, FEATURES, type FeatureName } from '#src/builtin/extraction/evidence.ts';
import type { Sample } from './extraction-samples.ts';

const ROUNDS = 200;
const RATE = 0.04;
/** Strength of the L2 regularization, which draws the weights to `PRIOR`. */
const RIDGE = 0.03;
/**
 * Factors of all weights that are tried, followed by the weight of a question that belongs to another kind of
 * document.
 */
const SHARPNESS = [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 1.7, 2];
const FOREIGN_WEIGHT = 0.2;
/** Weight of single values that are also judged as entries of lists, because there are only a few lists. */
const ALONE_WEIGHT = 0.1;
/** Weight of lists, because there are only a few of them. */
const LIST_WEIGHT = 4;

/**
 * Assumed weight of each kind of evidence before any document is seen. The fit draws the weights to these
 * values, and keeps them for evidence that no document has.
 */
export const PRIOR: EvidenceModel = {
  noValueThreshold: 3.5,
  listThreshold: 9,
  weights: {
    label: 4.5,
    labelInline: 0.7,
    labelBeside: 0.7,
    labelBelow: 0,
    type: 3,
    prose: 3,
    ofName: -1,
    ofPlace: -1,
    near: 1.5,
    close: 1,
    bestMatch: 1,
    matchedWeight: 1,
    head: 2,
    inside: -2,
    heading: 2,
    definition: 2.5,
    letterhead: 4.5,
    address: 4,
    arithmetic: 1.5,
    table: 3,
    party: 4.5,
    title: 3.5,
    position: 0,
    periodEnd: 2,
    otherPeriodEnd: -2,
    opening: 2.5,
    running: -1,
    proper: 1,
    shortName: -2.5,
    repeated: 1,
    alone: 0.5,
    format: 2.5,
    name: 3,
    series: 1,
    listed: 4,
    meaning: 5,
  },
};
/** Positions of the two thresholds in the vector of parameters, after the weights. */
const NOTHING = FEATURES.length;
const NOT_IN_LIST = FEATURES.length + 1;

/**
 * Fits the weights that maximize the probability of the right candidates. For a single value, one candidate
 * or none is chosen. For a list, each candidate is accepted or rejected alone. All kinds of documents count
 * equally, and so do all documents of a kind. The fit uses Adam over all samples and starts at `PRIOR`, so it
 * is deterministic.
 */
export function fitModel(samples: Sample[]): EvidenceModel {
  const shares = computeShares(samples);
  const prior = [...FEATURES.map((name) => PRIOR.weights[name]), PRIOR.noValueThreshold, PRIOR.listThreshold];
  const parameters = Float64Array.from(prior);
  const [mean, square] = [new Float64Array(parameters.length), new Float64Array(parameters.length)];
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = new Float64Array(parameters.length);
    for (const [index, sample] of samples.entries()) {
      const share = shares[index]!;
      if (!sample.isList) addGradient(gradient, sample, parameters, share);
      addGradient(
        gradient,
        { ...sample, isList: true },
        parameters,
        share * (sample.isList ? LIST_WEIGHT : ALONE_WEIGHT),
      );
    }
    for (let at = 0; at < parameters.length; at++) {
      const slope = gradient[at]! - RIDGE * (parameters[at]! - prior[at]!);
      mean[at] = 0.9 * mean[at]! + 0.1 * slope;
      square[at] = 0.999 * square[at]! + 0.001 * slope * slope;
      const step = mean[at]! / (1 - 0.9 ** round) / (Math.sqrt(square[at]! / (1 - 0.999 ** round)) + 1e-8);
      parameters[at] = parameters[at]! + RATE * step;
    }
  }
  const factor = findSharpness(samples, shares, parameters);
  return toModel(parameters.map((value) => value * factor));
}

const toModel = (parameters: Float64Array): EvidenceModel => ({
  noValueThreshold: parameters[NOTHING]!,
  listThreshold: parameters[NOT_IN_LIST]!,
  weights: Object.fromEntries(FEATURES.map((name, at) => [name, parameters[at]!])) as Record<
    FeatureName,
    number
  >,
});

/**
 * Finds the factor of all weights with the highest likelihood, because the regularization makes all weights
 * too small.
 */
function findSharpness(samples: Sample[], shares: number[], parameters: Float64Array): number {
  let best = { factor: 1, likelihood: Number.NEGATIVE_INFINITY };
  for (const factor of SHARPNESS) {
    const scaled = parameters.map((value) => value * factor);
    const likelihood = samples.reduce((sum, { evidence, right, isList, kind, asked }, index) => {
      // A field whose right value no reader found says nothing about the weights.
      if (isList || (kind === asked && !right.some(Boolean))) return sum;
      const odds = evidence.map((features) => Math.exp(computeStrength(features, scaled) - scaled[NOTHING]!));
      const all = odds.reduce((total, each) => total + each, 1);
      const good = right.some(Boolean)
        ? odds.reduce((total, each, at) => total + (right[at] ? each : 0), 0)
        : 1;
      return sum + shares[index]! * Math.log(good / all);
    }, 0);
    if (likelihood > best.likelihood) best = { factor, likelihood };
  }
  return best.factor;
}

const computeStrength = (features: number[], parameters: Float64Array) =>
  features.reduce((sum, value, at) => sum + value * parameters[at]!, 0);

/** Computes the share of each sample. All shares together are about 1. */
function computeShares(samples: Sample[]): number[] {
  const count = (key: (sample: Sample) => string) => {
    const counts = new Map<string, number>();
    for (const sample of samples) counts.set(key(sample), (counts.get(key(sample)) ?? 0) + 1);
    return (sample: Sample) => counts.get(key(sample))!;
  };
  const perDocument = count((sample) => sample.document);
  const documents = new Map<string, Set<string>>();
  for (const { kind, document } of samples)
    documents.set(kind, (documents.get(kind) ?? new Set()).add(document));
  return samples.map((sample) => {
    const share = 1 / documents.size / documents.get(sample.kind)!.size / perDocument(sample);
    return share * (sample.asked !== sample.kind ? FOREIGN_WEIGHT : 1);
  });
}

function addGradient(gradient: Float64Array, sample: Sample, parameters: Float64Array, share: number): void {
  const { evidence, right, isList } = sample;
  const strengths = evidence.map((features) => computeStrength(features, parameters));
  const against = parameters[isList ? NOT_IN_LIST : NOTHING]!;
  const pushes = isList
    ? strengths.map((strength, at) => Number(right[at]) - 1 / (1 + Math.exp(against - strength)))
    : computePushes(strengths, right, against);
  const scale = isList ? share / Math.max(1, evidence.length / 4) : share;
  for (const [candidate, push] of pushes.entries()) {
    for (const [at, value] of evidence[candidate]!.entries()) gradient[at]! += scale * push * value;
    gradient[isList ? NOT_IN_LIST : NOTHING]! -= scale * push;
  }
}

/**
 * Computes the gradient for each candidate: its probability given that a right candidate is chosen, minus its
 * current probability.
 */
function computePushes(strengths: number[], right: boolean[], against: number): number[] {
  const odds = strengths.map((strength) => Math.exp(strength - against));
  const all = odds.reduce((sum, each) => sum + each, 1);
  const good = odds.reduce((sum, each, at) => sum + (right[at] ? each : 0), 0);
  return odds.map((each, at) => (good > 0 && right[at] ? each / good : 0) - each / all);
}
