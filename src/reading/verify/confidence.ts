/**
 * Evidence that a model's output differs from the page, as numbers that do not depend on the page's length.
 */
export interface Evidence {
  /** Number of numbers, dates and identifiers in the output that the page lacks or prints elsewhere. */
  values: number;
  names: number;
  /** Share of the output's words, from 0 to 1, that are in invented passages. */
  inventedShare: number;
  invented: number;
  repeated: number;
  longestMissing: number;
  missingShare: number;
  /**
   * Number of numbers, dates and identifiers of the page that the output lacks, not counting running heads.
   * `missingValueShare` is their share of all such values, from 0 to 1.
   */
  missingValues: number;
  missingValueShare: number;
}

/**
 * Weights of a logistic regression that separates correct outputs from outputs with one false statement. `npm
 * run bench:verify -- --fit` computes them from half of the benchmark's documents. The reported figures use
 * the other half. Counts enter with their logarithm. The bias is slightly above the fitted value of 2.52,
 * because most outputs that lack three consecutive words are correct.
 */
const WEIGHTS = {
  bias: 2.68,
  values: -6.96,
  names: -6.06,
  invented: -5.45,
  inventedShare: -0.02,
  repeated: -1.49,
  longestMissing: -3.78,
  missingShare: -1.19,
  missingValues: -3.05,
  missingValueShare: -0.53,
};

export type Weights = typeof WEIGHTS;

/**
 * Number of consecutive missing words that is ignored. If a page divides words differently than the output,
 * that many may appear to be missing.
 */
const IGNORED_MISSING_WORDS = 2;
/**
 * Number of missing values that is ignored. Even correct outputs may omit one value, such as a page number
 * between lines.
 */
const IGNORED_MISSING_VALUES = 1;

export const scaleEvidence = (evidence: Evidence): Omit<Weights, 'bias'> => ({
  values: Math.log1p(evidence.values),
  names: Math.log1p(evidence.names),
  invented: Math.log1p(evidence.invented),
  inventedShare: evidence.inventedShare,
  repeated: Math.log1p(evidence.repeated),
  longestMissing: Math.log1p(Math.max(0, evidence.longestMissing - IGNORED_MISSING_WORDS)),
  missingShare: evidence.missingShare,
  missingValues: Math.log1p(Math.max(0, evidence.missingValues - IGNORED_MISSING_VALUES)),
  missingValueShare: evidence.missingValues > IGNORED_MISSING_VALUES ? evidence.missingValueShare : 0,
});

/** Returns the probability, from 0 to 1, that a model's output is faithful to the page. */
export function computeConfidence(evidence: Evidence, weights: Weights = WEIGHTS): number {
  const { bias, ...rest } = weights;
  let sum = bias;
  const figures = scaleEvidence(evidence);
  for (const name of Object.keys(rest) as (keyof typeof rest)[]) sum += rest[name] * figures[name];
  return Math.round(1e4 / (1 + Math.exp(-sum))) / 1e4;
}
