import { bootstrapMean, type Interval } from './bootstrap.ts';
import { isLowerBetter } from './metrics.ts';

/** Differences below this are rounding errors. */
const EPSILON = 1e-9;

/** Values of one question or file in two runs. */
export interface PairedValues {
  first: number;
  second: number;
}

/** Names by which a summary calls two runs. */
export interface ComparedNames {
  first: string;
  second: string;
}

export interface ValueComparison {
  /** Mean of the second run minus mean of the first run, with its confidence interval. */
  difference: Interval;
  firstMean: number;
  secondMean: number;
  improved: number;
  worsened: number;
  unchanged: number;
  verdict: 'better' | 'worse' | 'no_clear_difference';
  summary: string;
}

/**
 * Compares the second of two runs with the first. `names` are the names by which the summary calls the runs. There is
 * no clear difference if the confidence interval contains 0.
 */
export function compareValues(
  metric: string,
  pairs: readonly PairedValues[],
  names: ComparedNames,
  noun: 'question' | 'file' = 'question',
): ValueComparison {
  const difference = bootstrapMean(pairs.map(({ first, second }) => second - first));
  const sign = isLowerBetter(metric) ? -1 : 1;
  const changes = pairs.map(({ first, second }) => sign * (second - first));
  const improved = changes.filter((change) => change > EPSILON).length;
  const worsened = changes.filter((change) => change < -EPSILON).length;
  const isClear = difference.low > 0 || difference.high < 0;
  const isBetter = sign * difference.mean > 0;
  const counts = { improved, worsened, unchanged: pairs.length - improved - worsened };
  const verdict = !isClear ? 'no_clear_difference' : isBetter ? 'better' : 'worse';
  return {
    difference,
    firstMean: average(pairs.map(({ first }) => first)),
    secondMean: average(pairs.map(({ second }) => second)),
    ...counts,
    verdict,
    summary: summarize(metric, difference, { verdict, ...counts }, names, noun),
  };
}

const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

function summarize(
  metric: string,
  { mean, low, high }: Interval,
  {
    verdict,
    improved,
    worsened,
    unchanged,
  }: Pick<ValueComparison, 'verdict' | 'improved' | 'worsened' | 'unchanged'>,
  { first, second }: ComparedNames,
  noun: string,
): string {
  if (improved + worsened + unchanged === 0) return `${first} and ${second} have no ${noun} in common.`;
  const size = `${formatValue(metric, Math.abs(mean))} ± ${formatValue(metric, (high - low) / 2)}`;
  const counts = `${improved} ${improved === 1 ? noun : `${noun}s`} improved, ${worsened} got worse`;
  if (verdict === 'no_clear_difference') {
    const change = `${mean < 0 ? '−' : '+'}${size}`;
    return `No clear difference between ${first} and ${second} in ${metric} (${change}); ${counts}.`;
  }
  return `${second} is ${verdict} than ${first} by ${size} in ${metric}; ${counts}.`;
}

const formatValue = (metric: string, value: number): string =>
  isLowerBetter(metric) ? `${Math.round(value)} ms` : value.toFixed(3);
