/** Number of resamples. Large sets get fewer, so that a comparison takes well below a second. */
const MAX_SAMPLES = 10_000;
const MIN_SAMPLES = 1_000;
const MAX_DRAWS = 20_000_000;
/** Share of the resampled means that lies outside of the interval on each side. */
const TAIL = 0.025;

export interface Interval {
  mean: number;
  /** Bounds of the 95 % confidence interval of the mean. */
  low: number;
  high: number;
  samples: number;
}

/**
 * Estimates the mean of paired differences and its 95 % confidence interval with the bootstrap. The differences are
 * drawn with replacement many times, and the interval contains the middle 95 % of the means. This is the percentile
 * method in chapter 13 of Efron and Tibshirani, An Introduction to the Bootstrap, 1993. Resampling the questions of
 * two runs is described by Sakai, Evaluating Evaluation Metrics based on the Bootstrap, 2006. The same differences
 * and seed always give the same interval.
 */
export function bootstrapMean(differences: readonly number[], seed = 1): Interval {
  const count = differences.length;
  if (count === 0) return { mean: 0, low: 0, high: 0, samples: 0 };
  const random = createRandom(seed);
  const samples = Math.min(MAX_SAMPLES, Math.max(MIN_SAMPLES, Math.floor(MAX_DRAWS / count)));
  const means = new Float64Array(samples);
  for (let sample = 0; sample < samples; sample += 1) {
    let sum = 0;
    for (let draw = 0; draw < count; draw += 1) sum += differences[Math.floor(random() * count)]!;
    means[sample] = sum / count;
  }
  means.sort();
  const mean = differences.reduce((sum, each) => sum + each, 0) / count;
  return { mean, low: readQuantile(means, TAIL), high: readQuantile(means, 1 - TAIL), samples };
}

/** Returns a quantile of sorted values, interpolated between the two nearest ones. */
function readQuantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (place - below) * (sorted[above]! - sorted[below]!);
}

/** Returns a generator of numbers from 0 to below 1 (Mulberry32). The seed determines all numbers. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
