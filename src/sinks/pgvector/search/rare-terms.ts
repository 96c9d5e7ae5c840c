import type { TermStatistics } from '#src/ports/shard.ts';
import type { TermWeights } from '#src/search/term-weights.ts';

/**
 * Picks the rarest words of a query, which together occur in at most `fewChunks` chunks, and at least one word.
 * `bound` is more than the score of any chunk that contains none of them.
 * Returns `undefined` if all words together are rare, or if there is only one word.
 */
export function pickRareTerms(
  { finding, ranking }: TermWeights,
  { documentFrequency }: TermStatistics,
  fewChunks: number,
): { terms: string[]; bound: number } | undefined {
  const count = (term: string) => documentFrequency[term] ?? 0;
  const sorted = [...finding.keys()].sort((a, b) => count(a) - count(b));
  const terms: string[] = [];
  let chunks = 0;
  for (const term of sorted) {
    chunks += count(term);
    if (terms.length > 0 && chunks > fewChunks) break;
    terms.push(term);
  }
  if (terms.length === sorted.length) return undefined;
  const rest = sorted.slice(terms.length).map((term) => finding.get(term)!);
  const bound = [...rest, ...ranking.values()].reduce((sum, weight) => sum + weight, 0);
  return { terms, bound };
}
