import type { TermWeights } from '#src/search/term-weights.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { WORDS } from '#src/sinks/mongodb/index-layout.ts';
import { pickHeaviest } from '#src/sinks/native/words.ts';
import { equals, toOperator } from './filter.ts';

/** Maximum number of conditions and words of a query. MongoDB Search allows 1,024. */
const MAX_CLAUSES = 1_000;
/** Number of values that a pre-filter may have. A longer one is left out, so that there is room for words. */
const MAX_FILTER_VALUES = 200;
/** Number of clauses as which a value counts, because it can become a search of an index and of stored values. */
const CLAUSES_PER_VALUE = 2;

/**
 * Builds the `compound` operator that finds chunks by words. MongoDB Search multiplies the weight of each term by its
 * inverse document frequency. BM25 then reduces it for terms that are rare in the chunk, and for long chunks. Ranking
 * terms add to the score of chunks that have a finding term. If there are more terms than a query may have, those with
 * the highest weights are used. Returns `undefined` if no finding term has a weight.
 */
export function buildWordQuery(
  { finding, ranking }: TermWeights,
  indexId: string,
  preFilter?: PreFilter,
): object | undefined {
  const values = preFilter ? countValues(preFilter) : 0;
  const filter = [
    equals('sluice_index', indexId),
    ...(preFilter && values <= MAX_FILTER_VALUES ? [toOperator(preFilter)] : []),
  ];
  const room = MAX_CLAUSES - CLAUSES_PER_VALUE * (1 + Math.min(values, MAX_FILTER_VALUES));
  const found = pickHeaviest(withWeight(finding), room);
  if (found.length === 0) return undefined;
  const ranked = pickHeaviest(withWeight(ranking), room - found.length);
  return {
    filter,
    must: [{ compound: { should: found.map(toTermOperator), minimumShouldMatch: 1 } }],
    ...(ranked.length > 0 && { should: ranked.map(toTermOperator) }),
  };
}

/** Leaves out terms without a weight, because a boost must be positive. */
const withWeight = (weights: ReadonlyMap<string, number>) =>
  new Map([...weights].filter(([, weight]) => weight > 0));

const toTermOperator = ([query, value]: [string, number]) => ({
  text: { query, path: WORDS, score: { boost: { value } } },
});

function countValues(preFilter: PreFilter): number {
  if ('oneOf' in preFilter) return preFilter.oneOf.length;
  const parts = 'all' in preFilter ? preFilter.all : 'any' in preFilter ? preFilter.any : [];
  return parts.reduce((sum, part) => sum + countValues(part), 0);
}
