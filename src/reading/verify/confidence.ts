/** Evidence against an output, in figures that do not depend on the length of the page. */
export interface Evidence {
  /** Number of numbers, dates and identifiers that the page lacks or prints in another place. */
  values: number;
  names: number;
  /** Share of the output's words that are invented text. */
  inventedShare: number;
  invented: number;
  repeated: number;
  longestMissing: number;
  missingShare: number;
  /**
   * Number of numbers, dates and identifiers that the output lacks, without those of running heads.
   * `missingValueShare` is their share of all such values, from 0 to 1.
   */
  missingValues: number;
  missingValueShare: number;
}

/**
 * Weights of a logistic regression over faithful pages and pages with one false statement each. `npm run
 * bench:verify -- --fit` fits them on the half of the documents for which the benchmark prints no figures.
 * Counts enter with their logarithm. The bias is slightly above the fitted value of 2.52, because most
 * outputs that lack three consecutive words are faithful.
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
 * Number of consecutive missing words that is ignored. A page that divides its words differently can cost
 * that many.
 */
const IGNORED_MISSING_WORDS = 2;
/**
 * Number of missing values that is ignored. Faithful readers also omit a single value, such as a page number
 * between other lines.
 */
const IGNORED_MISSING_VALUES = 1;

/** Returns the figures that the weights are multiplied with. */
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

/** Returns the probability that an output is faithful to its page, from 0 to 1. */
export function computeConfidence(evidence: Evidence, weights: Weights = WEIGHTS): number {
  const { bias, ...rest } = weights;
  let sum = bias;
  const figures = scaleEvidence(evidence);
  for (const name of Object.keys(rest) as (keyof typeof rest)[]) sum += rest[name] * figures[name];
  return Math.round(1e4 / (1 + Math.exp(-sum))) / 1e4;
}
