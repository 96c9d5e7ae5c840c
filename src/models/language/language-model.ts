import type { LanguageModel } from 'ai';

/** What a language model is asked for. It decides how long the model may take. */
export const LANGUAGE_USES = [
  'chat',
  'extract',
  'classify',
  'routing',
  'filters',
  'schema',
  'parsing',
  'reranking',
] as const;
export type LanguageUse = (typeof LANGUAGE_USES)[number];

/** Named in a model's place it has the built-in part do the work. */
export const BUILTIN = 'builtin';

/** What answers' metadata call a model. */
export function nameOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
