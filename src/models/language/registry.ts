import type { LanguageModel } from 'ai';
import type { ModelChoice, ModelDeps } from '#src/models/definition/definition.ts';
import { indexByKind } from '#src/ports/kind.ts';
import type { LanguageUse } from '#src/ports/language-model.ts';
import { anthropic } from './anthropic.ts';
import { azureOpenai } from './azure-openai.ts';
import { bedrock } from './bedrock.ts';
import { cohere } from './cohere.ts';
import type { LanguageLimits } from './definition.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { vertex } from './vertex.ts';
import { workersAi } from './workers-ai.ts';

export const languageModels = indexByKind([
  anthropic,
  azureOpenai,
  bedrock,
  cohere,
  gemini,
  openai,
  openaiCompatible,
  vertex,
  workersAi,
]);

export type LanguageKind = keyof typeof languageModels;

export const LANGUAGE_KINDS = Object.keys(languageModels) as LanguageKind[];

export type LanguageConfig = ModelChoice<LanguageKind>;

/**
 * Time limits for each use of a language model. A caller waits for some answers, while jobs may take longer.
 * A chat may continue as long as it produces output.
 */
const LIMITS: Record<LanguageUse, LanguageLimits> = {
  chat: { silenceSeconds: 120, totalSeconds: 900, retries: 2 },
  extract: { silenceSeconds: 300, totalSeconds: 300, retries: 2 },
  classify: { silenceSeconds: 300, totalSeconds: 300, retries: 2 },
  schema: { silenceSeconds: 45, totalSeconds: 45, retries: 2 },
  parsing: { silenceSeconds: 300, totalSeconds: 300, retries: 2 },
  routing: { silenceSeconds: 20, totalSeconds: 20, retries: 1 },
  filters: { silenceSeconds: 20, totalSeconds: 20, retries: 1 },
  reranking: { silenceSeconds: 20, totalSeconds: 20, retries: 1 },
};

export function openLanguageModel(
  { kind, settings }: LanguageConfig,
  use: LanguageUse,
  deps: ModelDeps,
): LanguageModel {
  return languageModels[kind].openWithin(settings, LIMITS[use], deps);
}
