import { type CounterName, type HistogramName, type Labels, METRICS, type MetricName } from './registry.ts';
import { addValues, getSeriesKey, listLabelValues, type Sample } from './sample.ts';

/** Maximum number of series in an isolate that wait to be written. A series is a metric with label values. */
const MAX_PENDING = 4_000;

const pending = new Map<string, Sample>();

/**
 * Increases a counter in the memory of the isolate. `flush.ts` sends the counter to the Durable Object that
 * sums all metrics.
 */
export function count<Name extends CounterName>(name: Name, labels: Labels<Name>, by = 1): void {
  if (by > 0 && Number.isFinite(by)) addSample(name, listLabelValues(name, labels), [by]);
}

export function observe<Name extends HistogramName>(name: Name, labels: Labels<Name>, value: number): void {
  const { buckets } = METRICS[name];
  const values = new Array<number>(buckets.length + 2).fill(0);
  const bucket = buckets.findIndex((bound) => value <= bound);
  values[bucket < 0 ? buckets.length : bucket] = 1;
  values[buckets.length + 1] = Math.max(0, value);
  addSample(name, listLabelValues(name, labels), values);
}

function addSample(name: MetricName, labels: string[], values: number[]): void {
  const series = getSeriesKey(name, labels);
  const known = pending.get(series);
  if (known) addValues(known.values, values);
  else if (pending.size < MAX_PENDING) pending.set(series, { name, labels, values });
}

/** Returns the samples that were collected since the last call, and removes them from memory. */
export function takePending(): Sample[] {
  const samples = [...pending.values()];
  pending.clear();
  return samples;
}

/** Adds samples that could not be written, so that the next write includes them. */
export function restorePending(samples: readonly Sample[]): void {
  for (const { name, labels, values } of samples) addSample(name, labels, values);
}

export const hasPending = (): boolean => pending.size > 0;
