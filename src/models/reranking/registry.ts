import type { ModelChoice, ModelDeps } from '#src/models/definition/definition.ts';
import { indexByKind } from '#src/ports/kind.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import { bedrock } from './bedrock.ts';
import { builtin } from './builtin.ts';
import { cohere } from './cohere.ts';
import { languageModel } from './language-model.ts';
import { workersAi } from './workers-ai.ts';

export const rerankers = indexByKind([bedrock, builtin, cohere, languageModel, workersAi]);

export type RerankingConfig = ModelChoice<keyof typeof rerankers>;

export function openReranker({ kind, settings }: RerankingConfig, deps: ModelDeps): Reranker {
  return rerankers[kind].open(settings, deps);
}
