import type { Expectations } from '#src/db/schema/index.ts';
import { normalizeText } from './normalize-text.ts';

/** A retrieved chunk, as far as expectations can refer to it. */
export interface MatchableChunk {
  documentId: string;
  text: string;
  /** First and last page, counted from 0. Undefined if the document has no pages. */
  startPage?: number | undefined;
  endPage?: number | undefined;
}

/** Results of a question in the form that ranking measures need. */
export interface MatchedResults {
  /**
   * Relevance of each rank. A rank is credited with at most one expectation, and each expectation is credited
   * once. 0 if the rank contributes nothing new.
   */
  gains: number[];
  /** Rank at which each expectation is first met, counted from 1, or null if no result meets the expectation. */
  ranks: (number | null)[];
  /** Relevance of all expectations, in the same order as `ranks`. */
  relevances: number[];
  /** Best relevance of the expectations that each chunk meets. 0 if the chunk meets none. */
  chunkRelevances: number[];
}

interface Expectation {
  relevance: number;
  isMet(chunk: MatchableChunk, text: string): boolean;
}

/**
 * Compares retrieved chunks with the expectations of a question. Expectations with relevance 0 are judged as not
 * relevant and count as no expectation.
 *
 * If only documents are expected, the ranking is one of documents: later chunks of a document that already has a
 * rank get no rank. This is how collections with judgements by document, such as BEIR, are evaluated. Otherwise
 * each chunk has its own rank.
 */
export function matchResults(chunks: readonly MatchableChunk[], expectations: Expectations): MatchedResults {
  const expected = listExpectations(expectations);
  const isByDocument = expectations.passages.length === 0 && expectations.pages.length === 0;
  const ranks: MatchedResults['ranks'] = expected.map(() => null);
  const chunkRelevances: number[] = [];
  const gains: number[] = [];
  const seen = new Set<string>();
  const uncredited = new Set<number>();
  for (const chunk of chunks) {
    const text = normalizeText(chunk.text);
    const met = expected.flatMap((each, index) => (each.isMet(chunk, text) ? [index] : []));
    chunkRelevances.push(Math.max(0, ...met.map((index) => expected[index]!.relevance)));
    if (isByDocument && seen.has(chunk.documentId)) continue;
    seen.add(chunk.documentId);
    const rank = gains.length + 1;
    for (const index of met) {
      if (ranks[index] !== null) continue;
      ranks[index] = rank;
      uncredited.add(index);
    }
    gains.push(creditBest(uncredited, expected));
  }
  // A chunk that meets several expectations leaves some of them to be credited after the last rank.
  while (uncredited.size > 0) gains.push(creditBest(uncredited, expected));
  return { gains, ranks, relevances: expected.map(({ relevance }) => relevance), chunkRelevances };
}

/** Removes the most relevant expectation from the set and returns its relevance. Returns 0 for an empty set. */
function creditBest(uncredited: Set<number>, expected: readonly Expectation[]): number {
  let best: number | undefined;
  for (const index of uncredited) {
    if (best === undefined || expected[index]!.relevance > expected[best]!.relevance) best = index;
  }
  if (best === undefined) return 0;
  uncredited.delete(best);
  return expected[best]!.relevance;
}

function listExpectations({ passages, pages, documents }: Expectations): Expectation[] {
  const all: Expectation[] = [
    ...passages.map(({ text, document_id: documentId, relevance }) => {
      const wanted = normalizeText(text);
      return {
        relevance,
        isMet: (chunk: MatchableChunk, content: string) =>
          (!documentId || chunk.documentId === documentId) && content.includes(wanted),
      };
    }),
    ...pages.map(({ document_id: documentId, page, relevance }) => ({
      relevance,
      isMet: ({ documentId: found, startPage, endPage = startPage }: MatchableChunk) =>
        found === documentId &&
        startPage !== undefined &&
        endPage !== undefined &&
        startPage <= page - 1 &&
        page - 1 <= endPage,
    })),
    ...documents.map(({ document_id: documentId, relevance }) => ({
      relevance,
      isMet: (chunk: MatchableChunk) => chunk.documentId === documentId,
    })),
  ];
  return all.filter(({ relevance }) => relevance > 0);
}
