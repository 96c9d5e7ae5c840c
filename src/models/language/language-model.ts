import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { Settings } from '#src/env.ts';

/** The operator's language model, an OpenAI-compatible endpoint; undefined when none is configured. */
export function languageModel(settings: Settings): LanguageModel | undefined {
  const { LLM_BASE_URL: baseURL, LLM_API_KEY: apiKey, LLM_MODEL: model } = settings;
  if (!baseURL || !model) return undefined;
  return createOpenAICompatible({
    name: 'llm',
    baseURL,
    ...(apiKey && { apiKey }),
    supportsStructuredOutputs: true,
  })(model);
}

/** For a schema that strict structured outputs, what endpoints are asked for otherwise, cannot express. */
export const NOT_STRICT = { openaiCompatible: { strictJsonSchema: false } };

/** What answers' metadata call a model. */
export function nameOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
