import {
  CONFIDENCE_SIGNS,
  computeFitLogit,
  computeSigns,
  decide,
  type FitSign,
  scoreRules,
} from '#src/builtin/classification/decide.ts';
import type { Evidence } from '#src/builtin/classification/evidence.ts';
import { FITTED, type TopicEvidence, type Weights } from '#src/builtin/classification/weights.ts';
import { dot, maximize } from '../../answers/fit.ts';
import type { Case, Condition } from './cases.ts';

/**
 * Total weight of the cases of each condition in a set, separately for cases that a rule fits and cases that
 * no rule fits. With whole sets some rule usually fits, and with a few rules often none does. The documents
 * of a dropped rule are very similar to the others. They count little, because otherwise too many documents
 * would be rejected.
 */
const COUNTS: Record<Condition, { fits: number; none: number }> = {
  'as it is': { fits: 5, none: 0.8 },
  types: { fits: 0.6, none: 0.4 },
  descriptions: { fits: 0.8, none: 0.1 },
  shortened: { fits: 1, none: 0.3 },
  'few rules': { fits: 1.2, none: 0.1 },
  'some rules': { fits: 1.2, none: 0 },
  'rule dropped': { fits: 0, none: 0.2 },
  'few wrong rules': { fits: 0, none: 0.8 },
  'some wrong rules': { fits: 0, none: 0.4 },
  'other length': { fits: 1.5, none: 0.1 },
  strangers: { fits: 0, none: 0.4 },
  'few for strangers': { fits: 0, none: 0.4 },
  nothing: { fits: 0, none: 0.1 },
};
const STEPS = 400;
const TOPIC_EVIDENCE = Object.keys(FITTED.topicEvidence) as TopicEvidence[];
const KIND_EVIDENCE = Object.keys(FITTED.kindEvidence) as (keyof Evidence)[];
const SIGNS = Object.keys(FITTED.signs) as FitSign[];

/** Fits the weights in three steps: which rule is right, if any rule fits, and if the answer is right. */
export function fitWeights(cases: Case[]): Weights {
  const counts = computeWeights(cases);
  const choosing = cases.flatMap((each, i) => (each.right < 0 ? [] : [{ ...each, count: counts[i]! }]));
  const chosen = fitChoice(choosing);
  const evidence = {
    topicEvidence: nameWeights(TOPIC_EVIDENCE, chosen.slice(0, TOPIC_EVIDENCE.length)),
    kindEvidence: nameWeights(KIND_EVIDENCE, chosen.slice(TOPIC_EVIDENCE.length)),
  };
  const seen = cases.map(({ weighed, right }, i) => {
    const scores = scoreRules(weighed, evidence);
    const best = scores.indexOf(Math.max(...scores));
    return { signs: computeSigns(weighed, scores), best, right, count: counts[i]! };
  });
  const fit = fitLogistic(
    seen.map(({ signs, right, count }) => ({
      row: SIGNS.map((name) => signs[name]),
      isYes: right >= 0,
      count,
    })),
  );
  const signs = nameWeights(SIGNS, fit.weights);
  const bias = round(fit.bias);
  const answered = seen.map((each) => ({ ...each, fits: computeFitLogit(each.signs, { signs, bias }) }));
  const sureOfRule = fitLogistic(
    answered
      .filter(({ fits }) => fits >= 0)
      .map(({ signs, best, right, count }) => ({
        row: CONFIDENCE_SIGNS.map((name) => signs[name]),
        isYes: best === right,
        count,
      })),
  );
  const sureOfNone = fitLogistic(
    answered
      .filter(({ fits }) => fits < 0)
      .map(({ fits, right, count }) => ({ row: [fits], isYes: right < 0, count })),
  );
  return {
    ...evidence,
    signs,
    bias,
    ruleConfidence: {
      ...nameWeights([...CONFIDENCE_SIGNS], sureOfRule.weights),
      bias: round(sureOfRule.bias),
    },
    noneConfidence: { ...nameWeights(['fits'], sureOfNone.weights), bias: round(sureOfNone.bias) },
  };
}

export interface Answer {
  /** Index of the answered rule, or -1 for none. */
  given: number;
  right: number;
  confidence: number;
}

export function classify({ weighed, right }: Case, weights: Weights): Answer {
  const { order, isFit, confidence } = decide(weighed, weights);
  return { given: isFit ? order[0]! : -1, right, confidence };
}

/** Computes the weight of each case, so that all sets count equally and all weights together are 1. */
function computeWeights(cases: Case[]): number[] {
  const getAnswerKind = ({ right }: Case) => (right >= 0 ? 'fits' : 'none');
  const buildGroupKey = (each: Case) => `${each.set} ${each.condition} ${getAnswerKind(each)}`;
  const sizes = new Map<string, number>();
  for (const each of cases) sizes.set(buildGroupKey(each), (sizes.get(buildGroupKey(each)) ?? 0) + 1);
  const counts = cases.map(
    (each) => COUNTS[each.condition][getAnswerKind(each)] / sizes.get(buildGroupKey(each))!,
  );
  const totals = new Map<string, number>();
  for (const [i, { set }] of cases.entries()) totals.set(set, (totals.get(set) ?? 0) + counts[i]!);
  return counts.map((count, i) => count / totals.get(cases[i]!.set)! / totals.size);
}

function fitChoice(cases: (Case & { count: number })[]): number[] {
  const all = cases.reduce((sum, { count }) => sum + count, 0);
  const rows = cases.map(({ weighed: { byRule, separatingForms } }) =>
    byRule.map((each) => [
      ...TOPIC_EVIDENCE.map((name) => (1 - separatingForms) * each[name]),
      ...KIND_EVIDENCE.map((name) => separatingForms * each[name]),
    ]),
  );
  const size = TOPIC_EVIDENCE.length + KIND_EVIDENCE.length;
  return maximize(size, STEPS / 2, (weights) => {
    const gradient = new Array<number>(size).fill(0);
    for (const [i, { right, count }] of cases.entries()) {
      const scores = rows[i]!.map((row) => dot(row, weights));
      const top = Math.max(...scores);
      const likely = scores.map((score) => Math.exp(score - top));
      const total = likely.reduce((sum, value) => sum + value, 0);
      for (const [rule, row] of rows[i]!.entries()) {
        const pull = (((rule === right ? 1 : 0) - likely[rule]! / total) * count) / all;
        for (const [k, value] of row.entries()) gradient[k]! += pull * value;
      }
    }
    return gradient;
  });
}

interface Example {
  row: number[];
  isYes: boolean;
  count: number;
}

/** Fits a logistic regression on standardized values. The returned weights apply to the original values. */
function fitLogistic(examples: Example[]): { weights: number[]; bias: number } {
  const size = examples[0]!.row.length;
  const all = examples.reduce((sum, { count }) => sum + count, 0);
  const columns = Array.from({ length: size }, (_, k) => k);
  const mean = (of: (example: Example) => number) =>
    examples.reduce((sum, example) => sum + of(example) * example.count, 0) / all;
  const means = columns.map((k) => mean(({ row }) => row[k]!));
  const spreads = columns.map((k) => Math.sqrt(mean(({ row }) => (row[k]! - means[k]!) ** 2)) || 1);
  const standard = examples.map(({ row }) => [
    ...row.map((value, k) => (value - means[k]!) / spreads[k]!),
    1,
  ]);
  const found = maximize(size + 1, STEPS, (weights) => {
    const gradient = weights.map(() => 0);
    for (const [i, row] of standard.entries()) {
      const { isYes, count } = examples[i]!;
      const pull = (((isYes ? 1 : 0) - 1 / (1 + Math.exp(-dot(row, weights)))) * count) / all;
      for (const [k, value] of row.entries()) gradient[k]! += pull * value;
    }
    return gradient;
  });
  const weights = columns.map((k) => found[k]! / spreads[k]!);
  return { weights, bias: found.at(-1)! - dot(weights, means) };
}

const round = (value: number) => Number(value.toFixed(3));

const nameWeights = <Name extends string>(names: Name[], values: number[]) =>
  Object.fromEntries(names.map((name, k) => [name, round(values[k]!)])) as Record<Name, number>;
