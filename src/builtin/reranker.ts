import { largest, smallest } from '#src/lib/extremes.ts';
import type { RerankCandidate, Reranker } from '#src/ports/reranker.ts';
import { computeLexicalFeatures, type LexicalFeatures, toLexicalDocument } from './lexical-features.ts';
import { getAnalysis } from './terms.ts';

/** Scores that the reranker combines. `search` is the score of the search, scaled to the range from 0 to 1. */
export type RerankFeatures = LexicalFeatures & { search: number };

export type RerankWeights = Record<keyof RerankFeatures, number>;

/** Weights tuned on public retrieval data sets. They add up to 1. */
const WEIGHTS: RerankWeights = {
  search: 0.31,
  heading: 0.28,
  relevance: 0.05,
  coverage: 0.09,
  feedback: 0.09,
  order: 0.12,
  proximity: 0.06,
};

/**
 * Maximum number of characters of all search results together. This limit and `MAX_QUERY_TERMS` keep a rerank
 * below about 60 ms.
 */
const MAX_CHARACTERS = 400_000;
const MAX_QUERY_TERMS = 256;

/**
 * Creates a reranker that compares words. It considers how many words of the query a search result contains,
 * how rare they are, and their position and order. The weights must add up to 1.
 */
export function createBuiltinReranker(weights = WEIGHTS): Reranker {
  return {
    modelId: 'builtin/lexical-1',
    async rerank(query, candidates, { topN = candidates.length, signal } = {}) {
      signal?.throwIfAborted();
      const ordered = candidates.toSorted((a, b) => b.score - a.score);
      const features = measureCandidates(query, ordered);
      return ordered
        .map(({ id }, index) => ({ id, score: combineScores(features[index]!, weights) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, topN);
    },
  };
}

/** Compares every search result with the query. The search results must be in the order of the search. */
export function measureCandidates(query: string, ordered: RerankCandidate[]): RerankFeatures[] {
  const sample = ordered[0];
  // All search results are analysed in one language, because terms stemmed by the rules of different
  // languages cannot be compared.
  const analysis = getAnalysis(sample?.language, sample?.text ?? query);
  const share = Math.floor(MAX_CHARACTERS / Math.max(1, ordered.length));
  const features = computeLexicalFeatures(
    analysis.meaningful(query).slice(0, MAX_QUERY_TERMS),
    ordered.map((candidate) =>
      toLexicalDocument(candidate.text.slice(0, share), listHeadings(candidate), analysis),
    ),
  );
  const searched = normaliseScores(ordered);
  return features.map((each, index) => ({ ...each, search: searched[index]! }));
}

const FIRST_LINE = /^\s*(\S[^\n]{0,180})\n[^\S\n]*\n/;

/**
 * Returns the title and headings of a search result. Without headings, a first line that is followed by a
 * blank line counts as a heading.
 */
function listHeadings({ title, headings, text }: RerankCandidate): string[] {
  const first = headings.length === 0 ? FIRST_LINE.exec(text)?.[1] : undefined;
  return first === undefined ? [title, ...headings] : [title, first];
}

function combineScores(features: RerankFeatures, weights: RerankWeights): number {
  let score = 0;
  for (const [name, value] of Object.entries(features))
    score += weights[name as keyof RerankFeatures] * value;
  return Math.min(1, Math.max(0, score));
}

/** Scales the scores of the search to the range from 0 to 1. */
function normaliseScores(candidates: RerankCandidate[]): number[] {
  const scores = candidates.map(({ score }) => score);
  const low = smallest(scores);
  const high = largest(scores);
  return scores.map((score) => (high > low ? (score - low) / (high - low) : 1));
}
