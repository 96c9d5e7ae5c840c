import type { RerankingModel } from 'ai';
import { z } from 'zod';

type Model = Exclude<RerankingModel, string>;

/** What hosted services and self-hosted servers of this protocol have in common. */
const answer = z.object({
  results: z.array(z.object({ index: z.number().int(), relevance_score: z.number() })),
});

const LONGEST_MESSAGE = 300;

/**
 * A reranking model behind `{baseURL}/rerank` as Cohere defined it, and as vLLM, Jina and others serve it. The AI
 * SDK's Cohere provider takes answers of Cohere's own service only.
 */
export function rerankEndpoint(baseURL: string, modelId: string, apiKey: string | undefined): Model {
  return {
    specificationVersion: 'v4',
    provider: 'rerank',
    modelId,
    async doRerank({ query, documents, topN, abortSignal, headers }) {
      const response = await fetch(`${baseURL.replace(/\/+$/, '')}/rerank`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey && { authorization: `Bearer ${apiKey}` }),
          ...headers,
        },
        body: JSON.stringify({
          model: modelId,
          query,
          documents:
            documents.type === 'text'
              ? documents.values
              : documents.values.map((value) => JSON.stringify(value)),
          top_n: topN,
        }),
        ...(abortSignal && { signal: abortSignal }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`status ${response.status}: ${text.slice(0, LONGEST_MESSAGE)}`);
      const { results } = answer.parse(JSON.parse(text));
      const ranking = results.map(({ index, relevance_score }) => ({
        index,
        relevanceScore: relevance_score,
      }));
      return { ranking: ranking.sort((a, b) => b.relevanceScore - a.relevanceScore) };
    },
  };
}
