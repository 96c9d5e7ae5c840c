import { METRICS } from './registry.ts';
import type { Sample } from './sample.ts';

/** The platform takes 250 points of one invocation, which may write more than once. */
const MOST_POINTS = 60;

/**
 * What was counted since the last write, for Workers Analytics Engine: index1 and blob1 are the metric, the further
 * blobs its labels in their order; double1 is a counter's increase or a histogram's number of values, double2 their sum.
 */
export function writeDataPoints(dataset: AnalyticsEngineDataset, samples: readonly Sample[]): void {
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
