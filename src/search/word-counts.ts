import type { WordCounts } from '#src/ports/index-types.ts';
import type { TermStatistics } from '#src/ports/shard.ts';
import { getAnalyser } from './analysis.ts';
import { listLanguages } from './term-weights.ts';
import { splitIntoWords } from './words.ts';

/** Counts the chunks that contain each word of a query, in all languages together. */
export function countWords(text: string, statistics: TermStatistics): WordCounts {
  const { documentCount: chunks, documentFrequency } = statistics;
  const analysers = listLanguages(statistics).map(getAnalyser);
  const containing: Record<string, number> = {};
  for (const word of new Set(splitIntoWords(text))) {
    const terms = analysers.map((analyser) => analyser.terms(word)[0]!.text);
    const count = terms.reduce((sum, term) => sum + (documentFrequency[term] ?? 0), 0);
    if (count > 0) containing[word] = Math.min(chunks, count);
  }
  return { chunks, containing };
}
