/** What was found against an output, in figures that do not depend on how long the page is. */
export interface Evidence {
  /** Numbers, dates and identifiers that are not on the page or not there. */
  values: number;
  names: number;
  /** Words that the page does not say, in the output's share of words. */
  inventedShare: number;
  invented: number;
  repeated: number;
  /** Words of the longest stretch that the output lacks. */
  longestMissing: number;
  missingShare: number;
  /** Numbers, dates and identifiers that the output lacks, without those of running heads; and of all, 0..1. */
  missingValues: number;
  missingValueShare: number;
}

/**
 * Logistic regression of true pages and pages with a lie each, fitted by `npm run bench:verify -- --fit` on the half of
 * the documents that the bench prints no figures for. What a count says grows with its logarithm.
 * The bias is a little above the fitted one (2.52): of outputs that lack three words in a row most are true.
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

/** So many words in a row get lost by how a page parts its words. */
const STRAY = 2;
/** A single value, as a page's number that stands among other lines, is left out by faithful readers too. */
const STRAY_VALUES = 1;

/** The figures that the weights are for. */
export const scaled = (evidence: Evidence): Omit<Weights, 'bias'> => ({
  values: Math.log1p(evidence.values),
  names: Math.log1p(evidence.names),
  invented: Math.log1p(evidence.invented),
  inventedShare: evidence.inventedShare,
  repeated: Math.log1p(evidence.repeated),
  longestMissing: Math.log1p(Math.max(0, evidence.longestMissing - STRAY)),
  missingShare: evidence.missingShare,
  missingValues: Math.log1p(Math.max(0, evidence.missingValues - STRAY_VALUES)),
  missingValueShare: evidence.missingValues > STRAY_VALUES ? evidence.missingValueShare : 0,
});

/** How likely an output says what its page says, 0..1. */
export function confidenceOf(evidence: Evidence, weights: Weights = WEIGHTS): number {
  const { bias, ...rest } = weights;
  let sum = bias;
  const figures = scaled(evidence);
  for (const name of Object.keys(rest) as (keyof typeof rest)[]) sum += rest[name] * figures[name];
  return Math.round(1e4 / (1 + Math.exp(-sum))) / 1e4;
}
