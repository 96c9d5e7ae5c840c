import { type RerankingModel, rerank } from 'ai';
import { builtinReranker } from '#src/builtin/reranker.ts';
import type { Settings } from '#src/env.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { rerankEndpoint } from './rerank-endpoint.ts';
import type { RerankCandidate, Reranker } from './reranker.ts';

/** Models cut what is longer; sending it costs time only. Characters. */
const LONGEST_TEXT = 8_000;
const TIMEOUT_SECONDS = 15;

/** Any reranking model of the AI SDK. */
export function modelReranker(model: Exclude<RerankingModel, string>): Reranker {
  return {
    modelId: `${model.provider}/${model.modelId}`,
    async rerank(query, candidates, { topN = candidates.length } = {}) {
      if (candidates.length === 0) return [];
      const { ranking } = await rerank({
        model,
        query,
        documents: candidates.map(textOf),
        topN: Math.min(topN, candidates.length),
        // The built-in reranker is nearer than another attempt.
        maxRetries: 0,
        abortSignal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
      });
      return ranking.flatMap(({ originalIndex, score }) => {
        const candidate = candidates[originalIndex];
        return candidate ? [{ id: candidate.id, score }] : [];
      });
    },
  };
}

/** The part of the Workers AI binding that reranking needs. */
export interface RerankBinding {
  run(
    model: string,
    input: { query: string; contexts: { text: string }[]; top_k: number },
  ): Promise<{ response?: { id?: number; score?: number }[] }>;
}

/** A reranking model of Workers AI; its scores are 0..1. */
export function workersAiReranker(
  binding: RerankBinding,
  modelId: string,
  seconds = TIMEOUT_SECONDS,
): Reranker {
  return {
    modelId: `workers-ai/${modelId}`,
    async rerank(query, candidates, { topN = candidates.length } = {}) {
      if (candidates.length === 0) return [];
      const contexts = candidates.map((candidate) => ({ text: textOf(candidate) }));
      const { response } = await withTimeout(binding.run(modelId, { query, contexts, top_k: topN }), seconds);
      if (!response) throw new Error('the model answered no ranking');
      return response
        .flatMap(({ id, score }) => {
          const candidate = id === undefined ? undefined : candidates[id];
          return candidate && score !== undefined ? [{ id: candidate.id, score }] : [];
        })
        .sort((a, b) => b.score - a.score)
        .slice(0, topN);
    },
  };
}

/**
 * The configured reranker: a Workers AI model (`@cf/…`) where the binding is there, else a model behind an endpoint
 * that speaks Cohere's rerank protocol, else the built-in one.
 */
export function openReranker(
  settings: Pick<Settings, 'RERANK_MODEL' | 'RERANK_BASE_URL' | 'RERANK_API_KEY'>,
  binding?: RerankBinding,
): Reranker {
  const { RERANK_MODEL: model, RERANK_BASE_URL: baseURL, RERANK_API_KEY: apiKey } = settings;
  if (model?.startsWith('@cf/') && binding) return workersAiReranker(binding, model);
  if (!model || !baseURL) return builtinReranker();
  return modelReranker(rerankEndpoint(baseURL, model, apiKey));
}

function textOf({ title, headings, text }: RerankCandidate): string {
  return [title, ...headings, text].filter(Boolean).join('\n').slice(0, LONGEST_TEXT);
}
