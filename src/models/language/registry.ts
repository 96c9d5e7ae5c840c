import type { LanguageModel } from 'ai';
import type { ModelChoice, ModelDeps } from '#src/models/definition.ts';
import type { Settings } from '#src/settings.ts';
import type { LanguageDefinition, LanguageKind, LanguageLimits } from './definition.ts';
import type { LanguageUse } from './language-model.ts';
import { openaiCompatible } from './openai-compatible.ts';

/** One line a driver. */
export const languageModels = {
  openai_compatible: openaiCompatible,
} satisfies { [Kind in LanguageKind]: LanguageDefinition<Kind> };

export type LanguageConfig = ModelChoice<LanguageKind>;

/** A caller waits for some answers; a job can take its time for others, and a chat goes on for as long as it speaks. */
const LIMITS: Record<LanguageUse, LanguageLimits> = {
  chat: { silenceSeconds: 120, totalSeconds: 900, retries: 2 },
  extract: { silenceSeconds: 300, totalSeconds: 300, retries: 2 },
  classify: { silenceSeconds: 300, totalSeconds: 300, retries: 2 },
  schema: { silenceSeconds: 45, totalSeconds: 45, retries: 2 },
  parsing: { silenceSeconds: 300, totalSeconds: 300, retries: 2 },
  routing: { silenceSeconds: 20, totalSeconds: 20, retries: 1 },
  filters: { silenceSeconds: 20, totalSeconds: 20, retries: 1 },
};

/** The operator's language model, an OpenAI-compatible endpoint; undefined when none is configured. */
export function configuredLanguage(
  settings: Pick<Settings, 'LLM_BASE_URL' | 'LLM_API_KEY' | 'LLM_MODEL'>,
): LanguageConfig | undefined {
  const { LLM_BASE_URL: base_url, LLM_API_KEY: api_key, LLM_MODEL: model } = settings;
  if (!base_url || !model) return undefined;
  return { kind: 'openai_compatible', settings: { base_url, model, ...(api_key && { api_key }) } };
}

export function openLanguageModel(
  { kind, settings }: LanguageConfig,
  use: LanguageUse,
  deps: ModelDeps,
): LanguageModel {
  return languageModels[kind].openWithin(settings, LIMITS[use], deps);
}
