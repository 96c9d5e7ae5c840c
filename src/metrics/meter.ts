import { type CounterName, type HistogramName, type Labels, METRICS, type MetricName } from './registry.ts';
import { add, labelsOf, type Sample, seriesOf } from './sample.ts';

/** Series that an isolate holds at most until they are handed over. */
const MOST_PENDING = 4_000;

const pending = new Map<string, Sample>();

/** Counts in the memory of the isolate; `hand-over.ts` brings it to the keeper. */
export function count<Name extends CounterName>(name: Name, labels: Labels<Name>, by = 1): void {
  if (by > 0 && Number.isFinite(by)) put(name, labelsOf(name, labels), [by]);
}

export function observe<Name extends HistogramName>(name: Name, labels: Labels<Name>, value: number): void {
  const { buckets } = METRICS[name];
  const values = new Array<number>(buckets.length + 2).fill(0);
  const bucket = buckets.findIndex((bound) => value <= bound);
  values[bucket < 0 ? buckets.length : bucket] = 1;
  values[buckets.length + 1] = Math.max(0, value);
  put(name, labelsOf(name, labels), values);
}

function put(name: MetricName, labels: string[], values: number[]): void {
  const series = seriesOf(name, labels);
  const known = pending.get(series);
  if (known) add(known.values, values);
  else if (pending.size < MOST_PENDING) pending.set(series, { name, labels, values });
}

/** What was counted since the last call. */
export function takePending(): Sample[] {
  const samples = [...pending.values()];
  pending.clear();
  return samples;
}

/** Counts again what could not be handed over. */
export function putBack(samples: readonly Sample[]): void {
  for (const { name, labels, values } of samples) put(name, labels, values);
}

export const hasPending = (): boolean => pending.size > 0;
