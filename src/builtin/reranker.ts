import { largest, smallest } from '#src/lib/extremes.ts';
import type { RerankCandidate, Reranker } from '#src/ports/reranker.ts';
import { type LexicalFeatures, lexicalDocument, lexicalFeatures } from './lexical-features.ts';
import { analysisFor } from './terms.ts';

/** Chosen on public retrieval sets; they add up to 1. */
const WEIGHTS: Record<keyof LexicalFeatures | 'search', number> = {
  search: 0.31,
  heading: 0.28,
  relevance: 0.05,
  coverage: 0.09,
  feedback: 0.09,
  order: 0.12,
  proximity: 0.06,
};

/** Characters read of all candidates together, and words of a query: bounds the time to some 60 ms. */
const MOST_TEXT = 400_000;
const MOST_WORDS = 256;

/** Reranks by what can be read off the words: how many of the query's, how rare, how near, in what order, where. */
export function builtinReranker(): Reranker {
  return {
    modelId: 'builtin/lexical-1',
    async rerank(query, candidates, { topN = candidates.length, signal } = {}) {
      signal?.throwIfAborted();
      const sample = candidates[0];
      // One analysis for all: terms of different languages' rules would not compare.
      const analysis = analysisFor(sample?.language, sample?.text ?? query);
      const share = Math.floor(MOST_TEXT / Math.max(1, candidates.length));
      const ordered = candidates.toSorted((a, b) => b.score - a.score);
      const features = lexicalFeatures(
        analysis.meaningful(query).slice(0, MOST_WORDS),
        ordered.map((candidate) =>
          lexicalDocument(candidate.text.slice(0, share), headingsOf(candidate), analysis),
        ),
      );
      const searched = normalised(ordered);
      return ordered
        .map(({ id }, index) => ({ id, score: combine(features[index]!, searched[index]!) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, topN);
    },
  };
}

const FIRST_LINE = /^\s*(\S[^\n]{0,180})\n[^\S\n]*\n/;

/** Title and headings; a text without headings may begin with a line that stands as one. */
function headingsOf({ title, headings, text }: RerankCandidate): string[] {
  const first = headings.length === 0 ? FIRST_LINE.exec(text)?.[1] : undefined;
  return first === undefined ? [title, ...headings] : [title, first];
}

function combine(features: LexicalFeatures, search: number): number {
  let score = WEIGHTS.search * search;
  for (const [name, value] of Object.entries(features))
    score += WEIGHTS[name as keyof LexicalFeatures] * value;
  return Math.min(1, Math.max(0, score));
}

/** The search's own scores, put between 0 and 1. */
function normalised(candidates: RerankCandidate[]): number[] {
  const scores = candidates.map(({ score }) => score);
  const low = smallest(scores);
  const high = largest(scores);
  return scores.map((score) => (high > low ? (score - low) / (high - low) : 1));
}
