import { messageOf } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { hasPending, putBack, takePending } from './meter.ts';
import { METRICS } from './registry.ts';
import type { Sample } from './sample.ts';

/** The platform takes 250 points of one invocation, which may write more than once. */
const MOST_POINTS = 60;

/** Sums what all isolates have counted: `durable-objects/metrics-keeper.ts`. */
export interface MetricsOwner {
  add(samples: Sample[]): Promise<void>;
  all(): Promise<Sample[]>;
}

export interface Receivers {
  keeper: () => MetricsOwner;
  analytics: AnalyticsEngineDataset | undefined;
  log: Logger;
  /** Between two of an isolate's writes; 0: nothing is written. */
  everySeconds: number;
  /**
   * False where deferred work holds something up, as the next batch of a queue is held up by that of the one before: what
   * cannot be written at once is left to whoever hands over next.
   */
  mayWait: boolean;
}

/** A request may work for 30 s after its answer; whoever writes for others leaves the rest to the next one before that. */
const LONGEST_TURN_MS = 20_000;

let lastAt = 0;
/** When the one began to write that does so now; it may end in the middle. */
let writingSince: number | undefined;

/**
 * Has what the isolate counted written after the answer: at once when the last write is long enough ago, else as soon
 * as it is. One writes for all others of the isolate, so that under load many requests are one write.
 */
export function handOver(receivers: Receivers, defer: (work: Promise<unknown>) => void): void {
  const now = Date.now();
  if (receivers.everySeconds === 0 || !hasPending()) return;
  if (writingSince !== undefined && now - writingSince < 2 * LONGEST_TURN_MS) return;
  writingSince = now;
  defer(takeTurn(receivers, now));
}

async function takeTurn(receivers: Receivers, since: number): Promise<void> {
  const everyMs = receivers.everySeconds * 1000;
  try {
    while (hasPending() && Date.now() - since < LONGEST_TURN_MS) {
      const wait = Math.min(lastAt + everyMs - Date.now(), LONGEST_TURN_MS);
      if (wait > 0 && !receivers.mayWait) return;
      if (wait > 0) await scheduler.wait(wait);
      if (!(await writePending(receivers))) return;
    }
  } finally {
    if (writingSince === since) writingSince = undefined;
  }
}

/** Writes what the isolate has counted by now. False: the keeper did not take it; it stays counted. */
export async function writePending({
  keeper,
  analytics,
  log,
}: Omit<Receivers, 'everySeconds' | 'mayWait'>): Promise<boolean> {
  const samples = takePending();
  lastAt = Date.now();
  if (samples.length === 0) return true;
  try {
    await keeper().add(samples);
  } catch (error) {
    putBack(samples);
    log.warn('metrics not kept', { error: messageOf(error) });
    return false;
  }
  if (analytics) writeDataPoints(analytics, samples);
  return true;
}

/**
 * What was counted since the last write, for Workers Analytics Engine: index1 and blob1 are the metric, the further
 * blobs its labels in their order; double1 is a counter's increase or a histogram's number of values, double2 their sum.
 */
function writeDataPoints(dataset: AnalyticsEngineDataset, samples: readonly Sample[]): void {
  for (const { name, labels, values } of samples.slice(0, MOST_POINTS)) {
    const isHistogram = METRICS[name].type === 'histogram';
    const times = isHistogram ? values.slice(0, -1).reduce((sum, each) => sum + each, 0) : values[0]!;
    dataset.writeDataPoint({
      indexes: [name],
      blobs: [name, ...labels],
      doubles: isHistogram ? [times, values.at(-1)!] : [times],
    });
  }
}
