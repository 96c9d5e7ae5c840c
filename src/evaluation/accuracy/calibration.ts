/** Number of bins of equal width into which confidences from 0 to 1 are sorted. */
export const BIN_COUNT = 10;

/** Values of a bin: their number, the sum of their confidences, and the number of correct values. */
export type Bin = [count: number, confidence: number, correct: number];
/** Bins that are not empty, by number from 0 to 9. */
export type Bins = Record<string, Bin>;

/** Adds a value to the bin of its confidence. Bin m holds confidences above m / 10, up to (m + 1) / 10. */
export function addToBins(bins: Bins, confidence: number, isCorrect: boolean): void {
  const limited = Math.min(1, Math.max(0, confidence));
  const index = Math.max(0, Math.ceil(limited * BIN_COUNT) - 1);
  bins[index] ??= [0, 0, 0];
  const bin = bins[index];
  bin[0] += 1;
  bin[1] += limited;
  bin[2] += Number(isCorrect);
}

export interface CalibrationBin {
  low: number;
  high: number;
  count: number;
  /** Mean confidence of the values, and the share of them that is correct. */
  confidence: number;
  accuracy: number;
}

export interface Calibration {
  count: number;
  /** Expected calibration error, from 0 to 1. */
  error: number;
  bins: CalibrationBin[];
}

/**
 * Computes the expected calibration error: the mean of the differences between confidence and accuracy over the bins,
 * weighted by their numbers of values. This is equation 3 of Guo, Pleiss, Sun and Weinberger, On Calibration of
 * Modern Neural Networks, 2017. The bins are those of a reliability diagram. Returns `undefined` if no value has a
 * confidence.
 */
export function computeCalibration(bins: Bins): Calibration | undefined {
  const filled = Object.entries(bins)
    .map(([index, [count, confidence, correct]]) => ({
      low: Number(index) / BIN_COUNT,
      high: (Number(index) + 1) / BIN_COUNT,
      count,
      confidence: confidence / count,
      accuracy: correct / count,
    }))
    .toSorted((one, other) => one.low - other.low);
  const total = filled.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  const error = filled.reduce(
    (sum, { count, confidence, accuracy }) => sum + (count / total) * Math.abs(accuracy - confidence),
    0,
  );
  return { count: total, error, bins: filled };
}

/** Adds the values of some bins to others. */
export function mergeBins(target: Bins, added: Bins): void {
  for (const [index, [count, confidence, correct]] of Object.entries(added)) {
    const [before, sum, right] = target[index] ?? [0, 0, 0];
    target[index] = [before + count, sum + confidence, right + correct];
  }
}
