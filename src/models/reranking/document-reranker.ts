import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import type { RerankCandidate, Reranker, RerankResult } from '#src/ports/reranker.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';

/** A candidate's place in the list that was sent, and how well the model finds that it answers; unchecked. */
export interface RankedPlace {
  index?: unknown;
  score?: unknown;
}

/** What a driver says of its model; everything that holds for all of them is done here. */
export interface DocumentRanking {
  modelId: string;
  maxCandidates: number;
  timeoutSeconds: number;
  /** One call to the model. */
  rank(query: string, documents: string[], topN: number, signal: AbortSignal): Promise<RankedPlace[]>;
}

/** Models cut what is longer; sending it costs time only. Characters. */
const LONGEST_TEXT = 8_000;

/** A reranker that sends texts to a model, and holds what it answers to the port's contract. */
export function documentReranker(ranking: DocumentRanking): Reranker {
  const { modelId, timeoutSeconds } = ranking;

  async function ask(query: string, documents: string[], topN: number, signal?: AbortSignal) {
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    try {
      signal?.throwIfAborted();
      // A binding takes no signal, so the time is also kept here.
      return await withTimeout(ranking.rank(query, documents, topN, either), timeoutSeconds);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof TimedOut || timeout.aborted) {
        const message = `${modelId} did not answer within ${timeoutSeconds} seconds.`;
        throw new Upstream(message, { retryable: true, cause: error });
      }
      if (error instanceof DomainError) throw error;
      throw new Upstream(`${modelId}: ${messageOf(error)}`, { retryable: true, cause: error });
    }
  }

  return {
    modelId,
    async rerank(query, candidates, { topN = candidates.length, signal } = {}) {
      const sent = candidates.slice(0, ranking.maxCandidates);
      const wanted = Math.min(topN, sent.length);
      if (wanted === 0) return [];
      const results = resultsOf(await ask(query, sent.map(textOf), wanted, signal), sent);
      if (results.length >= wanted) return results.slice(0, wanted);
      // What the model leaves out would be lost to the query.
      const message = `${modelId} ranked ${results.length} of ${wanted}.`;
      throw new Upstream(message, { retryable: false });
    },
  };
}

/** Without places that are none, scores that are no numbers, and all but the first mention of a candidate. */
function resultsOf(places: RankedPlace[], candidates: RerankCandidate[]): RerankResult[] {
  const scores = new Map<number, number>();
  for (const { index, score } of places) {
    if (typeof index !== 'number' || !candidates[index] || scores.has(index)) continue;
    if (typeof score === 'number' && Number.isFinite(score)) scores.set(index, score);
  }
  return [...scores]
    .sort(([a, first], [b, second]) => second - first || a - b)
    .map(([index, score]) => ({ id: candidates[index]!.id, score }));
}

function textOf({ title, headings, text }: RerankCandidate): string {
  return [title, ...headings, text].filter(Boolean).join('\n').slice(0, LONGEST_TEXT);
}
