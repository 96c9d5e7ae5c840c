import { getErrorMessage } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { hasPending, restorePending, takePending } from './meter.ts';
import { METRICS } from './registry.ts';
import type { Sample } from './sample.ts';

/**
 * Maximum number of data points per write. Analytics Engine accepts 250 points per invocation, and an
 * invocation may write several times.
 */
const MAX_POINTS = 60;

/**
 * Durable Object that sums the metrics of all isolates. Implemented by `durable-objects/metrics-keeper.ts`.
 */
export interface MetricsOwner {
  add(samples: Sample[]): Promise<void>;
  all(): Promise<Sample[]>;
}

export interface Receivers {
  keeper: () => MetricsOwner;
  analytics: AnalyticsEngineDataset | undefined;
  log: Logger;
  /** Seconds between two writes of metrics by an isolate. 0 disables writing. */
  intervalSeconds: number;
  /**
   * True if the write may be delayed until the interval has passed. False for queue consumers, because their
   * next batch would be delayed too. The metrics are then left to the next caller.
   */
  canWait: boolean;
}

/**
 * Maximum duration of writing metrics in milliseconds. Cloudflare allows work until 30 seconds after an
 * answer, so later metrics are left to the next request.
 */
const MAX_WRITE_MS = 20_000;

let lastWriteAt = 0;
/**
 * Time in milliseconds at which the current write began. A write may be interrupted without resetting this
 * variable.
 */
let writingSince: number | undefined;

/**
 * Writes the metrics of the isolate after a request was answered, once `intervalSeconds` have passed since
 * the last write. One request writes the metrics of all requests in the isolate.
 */
export function flushMetrics(receivers: Receivers, defer: (work: Promise<unknown>) => void): void {
  const now = Date.now();
  if (receivers.intervalSeconds === 0 || !hasPending()) return;
  if (writingSince !== undefined && now - writingSince < 2 * MAX_WRITE_MS) return;
  writingSince = now;
  defer(flushPending(receivers, now));
}

async function flushPending(receivers: Receivers, since: number): Promise<void> {
  const everyMs = receivers.intervalSeconds * 1000;
  try {
    while (hasPending() && Date.now() - since < MAX_WRITE_MS) {
      const wait = Math.min(lastWriteAt + everyMs - Date.now(), MAX_WRITE_MS);
      if (wait > 0 && !receivers.canWait) return;
      if (wait > 0) await scheduler.wait(wait);
      if (!(await writePending(receivers))) return;
    }
  } finally {
    if (writingSince === since) writingSince = undefined;
  }
}

/**
 * Sends the isolate's metrics to the Durable Object that sums them. If that fails, returns false and keeps
 * the metrics for the next write.
 */
export async function writePending({
  keeper,
  analytics,
  log,
}: Omit<Receivers, 'intervalSeconds' | 'canWait'>): Promise<boolean> {
  const samples = takePending();
  lastWriteAt = Date.now();
  if (samples.length === 0) return true;
  try {
    await keeper().add(samples);
  } catch (error) {
    restorePending(samples);
    log.warn('metrics could not be stored', { error: getErrorMessage(error) });
    return false;
  }
  if (analytics) writeDataPoints(analytics, samples);
  return true;
}

/**
 * Writes metrics to Workers Analytics Engine. `index1` and `blob1` are the metric's name, and further blobs
 * are its labels in order. `double1` is a counter's increase or a histogram's number of values. `double2` is
 * the sum of a histogram's values.
 */
function writeDataPoints(dataset: AnalyticsEngineDataset, samples: readonly Sample[]): void {
  for (const { name, labels, values } of samples.slice(0, MAX_POINTS)) {
    const isHistogram = METRICS[name].type === 'histogram';
    const times = isHistogram ? values.slice(0, -1).reduce((sum, each) => sum + each, 0) : values[0]!;
    dataset.writeDataPoint({
      indexes: [name],
      blobs: [name, ...labels],
      doubles: isHistogram ? [times, values.at(-1)!] : [times],
    });
  }
}
