import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import type { RerankCandidate, Reranker, RerankResult } from '#src/ports/reranker.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';

/**
 * Result of a reranking model for one candidate: the candidate's index in the request, and its score. Both
 * are not validated yet.
 */
export interface RankedIndex {
  index?: unknown;
  score?: unknown;
}

/**
 * Properties of one reranking model. `createDocumentReranker` does everything that all models have in common.
 */
export interface DocumentRanking {
  modelId: string;
  maxCandidates: number;
  timeoutSeconds: number;
  rank(query: string, documents: string[], topN: number, signal: AbortSignal): Promise<RankedIndex[]>;
}

/**
 * Maximum number of characters of a candidate's text. Models truncate longer texts, so sending more would
 * only cost time.
 */
const MAX_TEXT_CHARACTERS = 8_000;

/** Creates a reranker that sends the texts of candidates to a model and validates the answer. */
export function createDocumentReranker(ranking: DocumentRanking): Reranker {
  const { modelId, timeoutSeconds } = ranking;

  async function ask(query: string, documents: string[], topN: number, signal?: AbortSignal) {
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    try {
      signal?.throwIfAborted();
      // A Cloudflare binding cannot be cancelled with a signal, so the time limit is also enforced here.
      return await withTimeout(ranking.rank(query, documents, topN, either), timeoutSeconds);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof TimedOut || timeout.aborted) {
        const message = `${modelId} did not answer within ${timeoutSeconds} seconds.`;
        throw new Upstream(message, { retryable: true, cause: error });
      }
      if (error instanceof DomainError) throw error;
      throw new Upstream(`${modelId}: ${getErrorMessage(error)}`, { retryable: true, cause: error });
    }
  }

  return {
    modelId,
    async rerank(query, candidates, { topN = candidates.length, signal } = {}) {
      const sent = candidates.slice(0, ranking.maxCandidates);
      const wanted = Math.min(topN, sent.length);
      if (wanted === 0) return [];
      const results = toResults(await ask(query, sent.map(buildText), wanted, signal), sent);
      if (results.length >= wanted) return results.slice(0, wanted);
      // An answer that leaves out candidates is rejected, because those candidates would be missing in the
      // search results.
      const message = `${modelId} ranked only ${results.length} of ${wanted} texts.`;
      throw new Upstream(message, { retryable: false });
    },
  };
}

/**
 * Converts a model's answer to results sorted by score. Invalid indexes, invalid scores and repeated
 * candidates are removed.
 */
function toResults(places: RankedIndex[], candidates: RerankCandidate[]): RerankResult[] {
  const scores = new Map<number, number>();
  for (const { index, score } of places) {
    if (typeof index !== 'number' || !candidates[index] || scores.has(index)) continue;
    if (typeof score === 'number' && Number.isFinite(score)) scores.set(index, score);
  }
  return [...scores]
    .sort(([a, first], [b, second]) => second - first || a - b)
    .map(([index, score]) => ({ id: candidates[index]!.id, score }));
}

function buildText({ title, headings, text }: RerankCandidate): string {
  return [title, ...headings, text].filter(Boolean).join('\n').slice(0, MAX_TEXT_CHARACTERS);
}
