import type { RetrievalSet } from '#bench/retrieval/sets.ts';
import { detectChunkLanguage } from '#src/ingest/chunk-language.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { analyseChunk, analyseTitle } from '#src/search/analysis.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { analyseQuery } from '#src/search/query.ts';
import { B, K1, weighTerms } from '#src/search/term-weights.ts';
import { PlainIndex } from './bm25.ts';

export interface Ours {
  search(query: string): number[];
  /** Number of documents by detected language. */
  languages: Map<LanguageCode, number>;
}

/**
 * Indexes each document as one chunk in the language that ingestion detects, and scores it with the term
 * weights of the service. No service is needed, so twenty sets take seconds.
 */
export function indexOurs({ documents }: RetrievalSet, declared?: string): Ours {
  const languages = new Map<LanguageCode, number>();
  const index = new PlainIndex(
    documents.map(({ text, title }) => {
      const language = declared ?? detectChunkLanguage(text, detectLanguage(text));
      const chunk = analyseChunk({ text, ...(language && { language }) });
      languages.set(chunk.language, (languages.get(chunk.language) ?? 0) + 1);
      const bag = new Map<string, number>();
      for (const { terms, frequencies } of [chunk, analyseTitle(title, chunk.language)]) {
        for (const [at, term] of terms.entries()) bag.set(term, (bag.get(term) ?? 0) + frequencies[at]!);
      }
      return { bag, length: chunk.length };
    }),
  );
  const codes = [...languages.keys()].sort();
  return {
    languages,
    search(query) {
      const terms = analyseQuery(query, codes);
      const documentFrequency: Record<string, number> = {};
      for (const term of terms.flatMap(({ variants }) => variants)) {
        const count = index.documentFrequency(term);
        if (count > 0) documentFrequency[term] = count;
      }
      const { finding, ranking } = weighTerms(terms, {
        documentCount: documents.length,
        totalLength: 0,
        documentFrequency,
      });
      const all = new Map(finding);
      for (const [term, weight] of ranking) all.set(term, (all.get(term) ?? 0) + weight);
      return index.best(all, K1, B);
    },
  };
}
