import type { ModelChoice, ModelDeps } from '#src/models/definition/definition.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import { bedrock } from './bedrock.ts';
import { builtin } from './builtin.ts';
import { cohere } from './cohere.ts';
import type { RerankerDefinition, RerankerKind } from './definition.ts';
import { languageModel } from './language-model.ts';
import { workersAi } from './workers-ai.ts';

/** One line a driver. */
export const rerankers = {
  bedrock,
  builtin,
  cohere,
  language_model: languageModel,
  workers_ai: workersAi,
} satisfies { [Kind in RerankerKind]: RerankerDefinition<Kind> };

export type RerankingConfig = ModelChoice<RerankerKind>;

export function openReranker({ kind, settings }: RerankingConfig, deps: ModelDeps): Reranker {
  return rerankers[kind].open(settings, deps);
}
