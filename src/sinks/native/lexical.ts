import type { StoredChunk } from '#src/ports/index-types.ts';
import { type AnalysedChunk, analyseChunk, analyseTitle } from '#src/search/analysis.ts';
import { LANGUAGE_CODES } from '#src/search/languages.ts';
import { analyseQuery, type QueryWord } from '#src/search/query.ts';
import { weighByLanguage, weighTerms } from '#src/search/term-weights.ts';
import type { QueryText } from './search-store.ts';

const HIGHEST_FREQUENCY = 255;

/**
 * Returns the terms of a chunk together with those of its document's title and keywords. As in the managed
 * index, the length counts only the words of the text and the headings.
 */
export function analyseWithTitle(
  chunk: Pick<StoredChunk, 'text' | 'language'> & { headings?: string[] },
  title: string,
  keywords = '',
): AnalysedChunk {
  const { language, length, ...own } = analyseChunk(chunk);
  const titled = analyseTitle(title, language, keywords);
  const counts = new Map<string, number>();
  for (const { terms, frequencies } of [own, titled]) {
    for (const [at, term] of terms.entries()) {
      counts.set(term, Math.min(HIGHEST_FREQUENCY, (counts.get(term) ?? 0) + frequencies[at]!));
    }
  }
  return { language, length, terms: [...counts.keys()], frequencies: [...counts.values()] };
}

/** Prepares the words of a query for a store. The store says which languages its chunks have. */
export function readQueryText(text: string, topK: number): QueryText {
  let words: readonly QueryWord[] = [];
  return {
    topK,
    listTerms(languages) {
      words = analyseQuery(text, languages);
      const terms = words.flatMap((word) => [...word.variants, ...word.terms.map((term) => term.text)]);
      return [...new Set(terms)];
    },
    weigh: (statistics) => weighTerms(words, statistics),
    weighByLanguage(chunks) {
      const languages = LANGUAGE_CODES.filter((code) => chunks.has(code));
      return weighByLanguage(analyseQuery(text, languages), chunks);
    },
  };
}
