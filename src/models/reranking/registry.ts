import type { ModelChoice, ModelDeps } from '#src/models/definition.ts';
import type { Settings } from '#src/settings.ts';
import { builtin } from './builtin.ts';
import { cohere } from './cohere.ts';
import type { RerankerDefinition, RerankerKind } from './definition.ts';
import type { Reranker } from './reranker.ts';
import { workersAi } from './workers-ai.ts';

/** One line a driver. */
export const rerankers = {
  builtin,
  cohere,
  workers_ai: workersAi,
} satisfies { [Kind in RerankerKind]: RerankerDefinition<Kind> };

export type RerankingConfig = ModelChoice<RerankerKind>;

/**
 * The operator's reranker: a Workers AI model (`@cf/…`) where the binding is there, else a model behind an endpoint
 * that speaks Cohere's rerank protocol, else the built-in one.
 */
export function configuredReranking(
  settings: Pick<Settings, 'RERANK_MODEL' | 'RERANK_BASE_URL' | 'RERANK_API_KEY'>,
  { AI }: ModelDeps['bindings'],
): RerankingConfig {
  const { RERANK_MODEL: model, RERANK_BASE_URL: base_url, RERANK_API_KEY: api_key } = settings;
  if (model?.startsWith('@cf/') && AI) return { kind: 'workers_ai', settings: { model } };
  if (!model || !base_url) return { kind: 'builtin', settings: {} };
  return { kind: 'cohere', settings: { model, base_url, ...(api_key && { api_key }) } };
}

export function openReranker({ kind, settings }: RerankingConfig, deps: ModelDeps): Reranker {
  return rerankers[kind].open(settings, deps);
}
