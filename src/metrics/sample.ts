import { METRICS, type MetricName } from './registry.ts';

/** One series: a metric with a value for each of its labels. */
export interface Sample {
  name: MetricName;
  /** In the order of the metric's labels. */
  labels: string[];
  /** Of a counter or gauge its value; of a histogram how many values fell into each bucket, beyond the last, and their sum. */
  values: number[];
}

/** A label is a word of this service; whatever else gets here is cut. */
const LONGEST_LABEL = 96;

export function labelsOf(name: MetricName, given: Readonly<Record<string, string>>): string[] {
  return METRICS[name].labels.map((label) =>
    (given[label] ?? '').replaceAll('\n', ' ').slice(0, LONGEST_LABEL),
  );
}

export const seriesOf = (name: MetricName, labels: readonly string[]): string => [name, ...labels].join('\n');

/** Adds the values of one to those of the other, which are of the same series. */
export function add(to: number[], values: readonly number[]): void {
  for (const [at, value] of values.entries()) to[at] = (to[at] ?? 0) + value;
}
