import type { TermWeights } from '#src/search/term-weights.ts';

/** Limits of one query. Azure accepts 3,000 clauses and 100,000 characters. */
const MAX_CLAUSES = 2_500;
const MAX_CHARACTERS = 95_000;
/** Characters that have a meaning in the query syntax. */
const SPECIAL = /[+\-&|!(){}[\]^"~*?:\\/]/g;
/** Number of decimal places of a boost. The syntax has no exponents. */
const PLACES = 4;

/**
 * Writes the words of a query in the full Lucene syntax. A chunk must contain at least one finding term, and ranking
 * terms only add to its score. Very long queries lose their terms with the lowest weights. Returns `undefined` if no
 * finding term has a weight.
 */
export function toLuceneQuery({ finding, ranking }: TermWeights): string | undefined {
  const room = { clauses: MAX_CLAUSES, characters: MAX_CHARACTERS };
  const wanted = takeClauses(finding, room);
  if (wanted.length === 0) return undefined;
  const more = takeClauses(ranking, room);
  return more.length === 0 ? wanted.join(' ') : `+(${wanted.join(' ')}) ${more.join(' ')}`;
}

/** Returns the clauses with the highest weights that fit into the room, and reduces the room by them. */
function takeClauses(weights: Map<string, number>, room: { clauses: number; characters: number }): string[] {
  const clauses: string[] = [];
  for (const [term, weight] of [...weights].sort(([, one], [, other]) => other - one)) {
    const boost = weight.toFixed(PLACES);
    if (Number(boost) <= 0) break;
    const clause = `${term.replace(SPECIAL, '\\$&')}^${boost}`;
    if (room.clauses === 0 || room.characters <= clause.length) break;
    room.clauses -= 1;
    room.characters -= clause.length + 1;
    clauses.push(clause);
  }
  return clauses;
}
