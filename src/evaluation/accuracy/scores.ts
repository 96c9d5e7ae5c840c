/** Numbers of values by how they compare with the truth. */
export interface FieldCounts {
  /** Values that are equal to the expected ones. */
  correct: number;
  /** Values that differ from the expected ones. */
  wrong: number;
  /** Expected values that the result lacks. */
  missing: number;
  /** Values that the result has although none is expected. */
  invented: number;
}

export interface Scores {
  /** Share of the values in the result that are correct. Null if the result has no value. */
  precision: number | null;
  /** Share of the expected values that the result has. Null if no value is expected. */
  recall: number | null;
  /** Harmonic mean of precision and recall. Null if neither the truth nor the result has a value. */
  f1: number | null;
}

const divide = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/**
 * Computes precision, recall and F1 of values, as in chapter 8.3 of Manning, Raghavan and Schütze, Introduction to
 * Information Retrieval, 2008. A wrong value counts as both a value too many and a missing one.
 */
export function computeScores({ correct, wrong, missing, invented }: FieldCounts): Scores {
  const found = correct + wrong + invented;
  const expected = correct + wrong + missing;
  return {
    precision: divide(correct, found),
    recall: divide(correct, expected),
    f1: divide(2 * correct, found + expected),
  };
}

/** Returns the mean of the F1 scores that are defined, or null if none is. */
export function computeMacroF1(scores: readonly Pick<Scores, 'f1'>[]): number | null {
  const defined = scores.flatMap(({ f1 }) => f1 ?? []);
  return divide(
    defined.reduce((sum, f1) => sum + f1, 0),
    defined.length,
  );
}

/** Number of files with an expected and a predicted type. A null type stands for unclassified files. */
export interface ConfusionCell {
  expected: string | null;
  actual: string | null;
  count: number;
}

export interface ClassScores extends Scores {
  type: string | null;
  expected: number;
  predicted: number;
  correct: number;
}

/**
 * Computes the scores of each type from the cells of a confusion matrix. Unclassified is a type of its own. Types that
 * are neither expected nor predicted have no scores. Types come in the order of their expected number.
 */
export function computeClassScores(cells: readonly ConfusionCell[]): ClassScores[] {
  const types = new Set(cells.flatMap(({ expected, actual }) => [expected, actual]));
  const sums = new Map([...types].map((type) => [type, { expected: 0, predicted: 0, correct: 0 }]));
  for (const { expected, actual, count } of cells) {
    sums.get(expected)!.expected += count;
    sums.get(actual)!.predicted += count;
    if (expected === actual) sums.get(expected)!.correct += count;
  }
  return [...sums]
    .map(([type, { expected, predicted, correct }]) => ({
      type,
      expected,
      predicted,
      correct,
      precision: divide(correct, predicted),
      recall: divide(correct, expected),
      f1: divide(2 * correct, expected + predicted),
    }))
    .toSorted(
      (one, other) =>
        other.expected - one.expected || String(one.type).localeCompare(String(other.type), 'en'),
    );
}

/** Returns the share of files whose predicted type is the expected one. Null without files. */
export function computeAccuracy(cells: readonly ConfusionCell[]): number | null {
  const correct = cells.filter(({ expected, actual }) => expected === actual);
  const count = (some: readonly ConfusionCell[]) => some.reduce((sum, cell) => sum + cell.count, 0);
  return divide(count(correct), count(cells));
}
