import type { LanguageModel } from 'ai';

/** Tasks for which a language model is called. The task determines the timeout of the call. */
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

/** Prices of input and output tokens, per million tokens and in the operator's currency. */
export interface Prices {
  input: number;
  output: number;
}

/**
 * Language model that a caller specifies in the parse parameters, usually with the caller's own key. It has
 * either an endpoint, or a model name that identifies the vendor.
 */
export interface CallerModel {
  name?: string | undefined;
  key?: string | undefined;
  endpoint?: string | undefined;
  deployment?: string | undefined;
  apiVersion?: string | undefined;
}

/**
 * Reason why a language model that the caller specified cannot be used, with the field that causes the
 * problem.
 */
export interface CallerModelProblem {
  part: keyof CallerModel;
  problem: string;
}

/** Model name that selects Sluice's built-in method instead of a language model. */
export const BUILTIN = 'builtin';

export function getModelName(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
