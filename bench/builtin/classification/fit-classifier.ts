import { decide, scoreOf, signsOf } from '#src/builtin/classification/decide.ts';
import { FITTED, type Weights } from '#src/builtin/classification/weights.ts';
import { climb, dot } from '../../answers/fit.ts';
import type { Case, Condition } from './cases.ts';

/**
 * How much a case of each condition counts. Of the documents that fit no rule those of a dropped one are only measured:
 * they are as like the others as documents can be, and with them in the fit far too many are turned away.
 */
const COUNTS: Record<Condition, number> = {
  'as it is': 1,
  types: 0.3,
  descriptions: 0.4,
  shortened: 0.4,
  'few rules': 0.4,
  'rule dropped': 0,
  'few wrong rules': 0,
  'other length': 0.5,
  strangers: 1,
  nothing: 2,
};
const STEPS = 400;
const EVIDENCE = Object.keys(FITTED.evidence) as (keyof Weights['evidence'])[];
const SIGNS = Object.keys(FITTED.signs) as (keyof Weights['signs'])[];

/** The weights under which the right rules, and then whether any fits, are the likeliest; each set counts the same. */
export function fitted(cases: Case[]): Weights {
  const evidence = named(EVIDENCE, fitChoice(cases.filter(({ right }) => right >= 0)));
  const rows = cases.map(({ weighed }) => {
    const signs = signsOf(
      weighed,
      weighed.ofRules.map((each) => scoreOf(each, { evidence })),
    );
    return SIGNS.map((name) => signs[name]);
  });
  const { weights, bias } = fitLogistic(
    rows,
    cases.map(({ right }) => right >= 0),
    sharesOf(cases),
  );
  return { evidence, signs: named(SIGNS, weights), bias: round(bias) };
}

export interface Answer {
  /** The place of the rule, -1 for none. */
  told: number;
  right: number;
  confidence: number;
}

export function answerTo({ weighed, right }: Case, weights: Weights): Answer {
  const { order, fits, probabilities } = decide(weighed, weights);
  return fits < 0.5
    ? { told: -1, right, confidence: 1 - fits }
    : { told: order[0]!, right, confidence: probabilities[0]! };
}

/** What each case counts, so that all sets count the same and all of them together 1. */
function sharesOf(cases: Case[]): number[] {
  const totals = new Map<string, number>();
  for (const { set, condition } of cases) totals.set(set, (totals.get(set) ?? 0) + COUNTS[condition]);
  return cases.map(({ set, condition }) => COUNTS[condition] / totals.get(set)! / totals.size);
}

function fitChoice(cases: Case[]): number[] {
  const shares = sharesOf(cases);
  const rows = cases.map(({ weighed }) => weighed.ofRules.map((each) => EVIDENCE.map((name) => each[name])));
  return climb(EVIDENCE.length, STEPS / 2, (weights) => {
    const gradient = EVIDENCE.map(() => 0);
    for (const [i, { right }] of cases.entries()) {
      const scores = rows[i]!.map((row) => dot(row, weights));
      const top = Math.max(...scores);
      const likely = scores.map((score) => Math.exp(score - top));
      const total = likely.reduce((sum, value) => sum + value, 0);
      for (const [rule, row] of rows[i]!.entries()) {
        const pull = ((rule === right ? 1 : 0) - likely[rule]! / total) * shares[i]!;
        for (const [k, value] of row.entries()) gradient[k]! += pull * value;
      }
    }
    return gradient;
  });
}

/** Logistic regression over standardised signs; what it finds is told for the signs as they are. */
function fitLogistic(rows: number[][], isYes: boolean[], shares: number[]) {
  const means = SIGNS.map((_, k) => rows.reduce((sum, row, i) => sum + row[k]! * shares[i]!, 0));
  const spreads = SIGNS.map((_, k) =>
    Math.sqrt(rows.reduce((sum, row, i) => sum + (row[k]! - means[k]!) ** 2 * shares[i]!, 0)),
  );
  const standard = rows.map((row) => [...row.map((value, k) => (value - means[k]!) / spreads[k]!), 1]);
  const found = climb(SIGNS.length + 1, STEPS, (weights) => {
    const gradient = weights.map(() => 0);
    for (const [i, row] of standard.entries()) {
      const pull = ((isYes[i] ? 1 : 0) - 1 / (1 + Math.exp(-dot(row, weights)))) * shares[i]!;
      for (const [k, value] of row.entries()) gradient[k]! += pull * value;
    }
    return gradient;
  });
  const weights = SIGNS.map((_, k) => found[k]! / spreads[k]!);
  return { weights, bias: found.at(-1)! - dot(weights, means) };
}

const round = (value: number) => Number(value.toFixed(2));

const named = <Name extends string>(names: Name[], values: number[]) =>
  Object.fromEntries(names.map((name, k) => [name, round(values[k]!)])) as Record<Name, number>;
