const BINS = 10;

/** How often values of a confidence are right, by tenths. */
export class Reliability {
  private readonly bins = Array.from({ length: BINS }, () => ({ count: 0, said: 0, right: 0 }));

  add(confidence: number, right: boolean): void {
    const bin = this.bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]!;
    bin.count++;
    bin.said += confidence;
    bin.right += Number(right);
  }

  join(other: Reliability): void {
    for (const [index, { count, said, right }] of other.bins.entries()) {
      const bin = this.bins[index]!;
      bin.count += count;
      bin.said += said;
      bin.right += right;
    }
  }

  /** Expected calibration error: how far confidence and share of right ones are apart, weighed by how many. */
  error(): number {
    const count = this.bins.reduce((sum, bin) => sum + bin.count, 0);
    return this.bins.reduce((sum, { said, right }) => sum + Math.abs(said - right), 0) / Math.max(1, count);
  }

  table(): string {
    return this.bins
      .map(({ count, said, right }, index) => {
        const range = `${(index / BINS).toFixed(1)}–${((index + 1) / BINS).toFixed(1)}`;
        return count === 0
          ? undefined
          : `${range}  said ${(said / count).toFixed(2)}  right ${(right / count).toFixed(2)}  (${count})`;
      })
      .filter((line) => line !== undefined)
      .join('\n');
  }
}
