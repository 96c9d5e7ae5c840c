const BINS = 10;

/** Counts how often values with a given confidence are right, in ten bins of confidence. */
export class Reliability {
  private readonly bins = Array.from({ length: BINS }, () => ({ count: 0, sumOfConfidence: 0, right: 0 }));

  add(confidence: number, right: boolean): void {
    const bin = this.bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]!;
    bin.count++;
    bin.sumOfConfidence += confidence;
    bin.right += Number(right);
  }

  join(other: Reliability): void {
    for (const [index, { count, sumOfConfidence, right }] of other.bins.entries()) {
      const bin = this.bins[index]!;
      bin.count += count;
      bin.sumOfConfidence += sumOfConfidence;
      bin.right += right;
    }
  }

  /**
   * Returns the expected calibration error: the mean distance between confidence and accuracy of the bins,
   * weighted by their counts.
   */
  error(): number {
    const count = this.bins.reduce((sum, bin) => sum + bin.count, 0);
    return (
      this.bins.reduce((sum, { sumOfConfidence, right }) => sum + Math.abs(sumOfConfidence - right), 0) /
      Math.max(1, count)
    );
  }

  table(): string {
    return this.bins
      .map(({ count, sumOfConfidence, right }, index) => {
        const range = `${(index / BINS).toFixed(1)}–${((index + 1) / BINS).toFixed(1)}`;
        return count === 0
          ? undefined
          : `${range}  confidence ${(sumOfConfidence / count).toFixed(2)}  right ${(right / count).toFixed(2)}  (${count})`;
      })
      .filter((line) => line !== undefined)
      .join('\n');
  }
}
