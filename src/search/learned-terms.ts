import type { SparseVector } from '#src/ports/index-types.ts';
import type { TermCounts } from './analysis.ts';

/**
 * Terms of a learned sparse model in the index. A posting stores a weight as a frequency from 1 to 255, relative to the
 * largest weight of its chunk. Each chunk stores this largest weight in place of its number of words.
 */

/** Frequency of the term with the largest weight of a chunk. */
export const LARGEST_FREQUENCY = 255;

/** Maximum number of terms of a query that are searched. Each term costs a pass over its postings. */
const MAX_QUERY_TERMS = 256;

/** Returns the index term of a vocabulary term. Words cannot have this form, because they start with a language. */
const formatTerm = (index: number) => `#${index}`;

export interface LearnedTerms extends TermCounts {
  /** Largest weight of the chunk, which has the frequency `LARGEST_FREQUENCY`. 0 if the chunk has no weights. */
  largest: number;
}

/** Quantizes the weights of a chunk. Weights that round to the frequency 0 are left out. */
export function quantizeWeights({ indexes, values }: SparseVector): LearnedTerms {
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  const terms: string[] = [];
  const frequencies: number[] = [];
  for (const [at, value] of values.entries()) {
    const frequency = Math.round((value / largest) * LARGEST_FREQUENCY);
    if (frequency === 0) continue;
    terms.push(formatTerm(indexes[at]!));
    frequencies.push(frequency);
  }
  return { terms, frequencies, largest };
}

/** Returns the weights of a query's terms. If there are more than `MAX_QUERY_TERMS`, the largest ones are kept. */
export function weighQueryTerms({ indexes, values }: SparseVector): Map<string, number> {
  const weights = Array.from(indexes, (index, at): [number, number] => [index, values[at]!]);
  if (weights.length > MAX_QUERY_TERMS) weights.sort(([, a], [, b]) => b - a);
  return new Map(weights.slice(0, MAX_QUERY_TERMS).map(([index, weight]) => [formatTerm(index), weight]));
}
