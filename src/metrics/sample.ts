import { METRICS, type MetricName } from './registry.ts';

/** Values of one series, which is a metric with a value for each of its labels. */
export interface Sample {
  name: MetricName;
  labels: string[];
  /**
   * Value of a counter or gauge. A histogram has the number of values in each bucket, the number above the
   * last bucket, and the sum of all values.
   */
  values: number[];
}

/** Maximum length of a label value. Longer values are truncated. */
const MAX_LABEL_CHARACTERS = 96;

export function listLabelValues(name: MetricName, given: Readonly<Record<string, string>>): string[] {
  return METRICS[name].labels.map((label) =>
    (given[label] ?? '').replaceAll('\n', ' ').slice(0, MAX_LABEL_CHARACTERS),
  );
}

export const getSeriesKey = (name: MetricName, labels: readonly string[]): string =>
  [name, ...labels].join('\n');

/** Adds the values of a sample to the values of another sample of the same series. */
export function addValues(to: number[], values: readonly number[]): void {
  for (const [at, value] of values.entries()) to[at] = (to[at] ?? 0) + value;
}
