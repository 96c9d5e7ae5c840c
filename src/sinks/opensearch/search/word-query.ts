import type { TermWeights } from '#src/search/term-weights.ts';
import { pickHeaviest } from '#src/sinks/native/words.ts';
import type { Clause } from '#src/sinks/opensearch/engine.ts';
import { WORDS } from '#src/sinks/opensearch/fields.ts';

/** Maximum number of conditions and words of a query. Both products allow at least 1,024, and some count more. */
const MAX_CLAUSES = 1_000;
/** Number of clauses that a pre-filter may have. A longer one is left out, so that there is room for words. */
const MAX_FILTER_CLAUSES = 400;
/** Number of clauses as which a condition counts, because it can become a search of an index and of stored values. */
const CLAUSES_PER_CONDITION = 2;

/**
 * Builds the query that finds chunks by words. The product multiplies the weight of each term by its inverse document
 * frequency. BM25 then reduces it for terms that are rare in the chunk, and for long chunks. Ranking
 * terms add to the score of chunks that have a finding term. If there are more terms than a query may have, those with
 * the highest weights are used.
 */
export function buildWordQuery({ finding, ranking }: TermWeights, index: Clause, preFilter?: Clause): Clause {
  const isShort = preFilter !== undefined && countClauses(preFilter) <= MAX_FILTER_CLAUSES;
  const filter = isShort ? [index, preFilter] : [index];
  const room = MAX_CLAUSES - filter.reduce((sum, clause) => sum + countClauses(clause), 0);
  const found = pickHeaviest(finding, room);
  const ranked = pickHeaviest(ranking, room - found.length);
  return {
    bool: {
      filter,
      must: [{ bool: { should: found.map(toTermClause), minimum_should_match: 1 } }],
      ...(ranked.length > 0 && { should: ranked.map(toTermClause) }),
    },
  };
}

const toTermClause = ([value, boost]: [string, number]): Clause => ({ term: { [WORDS]: { value, boost } } });

function countClauses(clause: Clause): number {
  const { filter, should } = (clause.bool ?? {}) as { filter?: Clause[]; should?: Clause[] };
  const parts = filter ?? should;
  return parts ? parts.reduce((sum, part) => sum + countClauses(part), 0) : CLAUSES_PER_CONDITION;
}
