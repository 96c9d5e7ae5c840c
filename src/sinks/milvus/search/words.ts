import type { AnalysedChunk } from '#src/search/analysis.ts';
import type { TermWeights } from '#src/search/term-weights.ts';
import { LONGEST_TEXT } from '#src/sinks/milvus/schema.ts';

/**
 * Highest number of times that a term is repeated in a query, from the most exact weights to those of the longest
 * queries.
 */
const REPETITIONS = [20, 10, 5, 2, 1];
/** Maximum length of a query's text in bytes. */
const LONGEST_QUERY = 100_000;

const encoder = new TextEncoder();
const measure = (term: string) => encoder.encode(term).length + 1;

/**
 * Builds the text from which Milvus counts the words of a chunk. Each term is repeated as often as it occurs. If the text
 * is too long for a field, the repetitions are left out first.
 */
export function toWordsText({ terms, frequencies }: Pick<AnalysedChunk, 'terms' | 'frequencies'>): string {
  const words: string[] = [];
  const sizes = terms.map(measure);
  const highest = Math.max(0, ...frequencies);
  let remaining = LONGEST_TEXT;
  for (let round = 1; round <= highest; round++) {
    for (const [at, term] of terms.entries()) {
      if (frequencies[at]! < round) continue;
      if (sizes[at]! > remaining) return words.join(' ');
      remaining -= sizes[at]!;
      words.push(term);
    }
  }
  return words.join(' ');
}

/** Text of a query, and the factor by which its scores are multiplied to undo the repetitions. */
export interface QueryWords {
  text: string;
  scale: number;
}

/**
 * Builds the text of a query. Milvus accepts no weights, but multiplies the inverse document frequency of a term by its
 * number of occurrences in the query. Each term is therefore repeated in proportion to its weight. Ranking terms are
 * left out, because they would select chunks. Returns `undefined` if no term has a weight.
 */
export function toQueryWords({ finding }: Pick<TermWeights, 'finding'>): QueryWords | undefined {
  const weighted = [...finding].filter(([, weight]) => weight > 0).sort(([, one], [, other]) => other - one);
  const highest = weighted[0]?.[1];
  if (highest === undefined) return undefined;
  const repeat = (most: number) =>
    weighted.map(([term, weight]) => ({ term, count: Math.max(1, Math.round((weight / highest) * most)) }));
  const fits = (most: number) =>
    repeat(most).reduce((sum, { term, count }) => sum + count * measure(term), 0) <= LONGEST_QUERY;
  const most = REPETITIONS.find(fits) ?? 1;
  const words: string[] = [];
  let remaining = LONGEST_QUERY;
  for (const { term, count } of repeat(most)) {
    remaining -= count * measure(term);
    if (remaining < 0) break;
    for (let time = 0; time < count; time++) words.push(term);
  }
  return { text: words.join(' '), scale: highest / most };
}
