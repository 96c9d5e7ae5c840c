import type { LanguageModel } from 'ai';

/** Tasks of a language model. The task decides how long a call may take. */
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

/** Prices per million tokens, in the operator's currency. */
export interface Prices {
  input: number;
  output: number;
}

/**
 * Language model that a caller brings along, described by parse parameters. It has either an endpoint, or a
 * model name that identifies the vendor.
 */
export interface CallerModel {
  /** Name of the vendor's model, or of a model that the installation configures. */
  name?: string | undefined;
  key?: string | undefined;
  endpoint?: string | undefined;
  deployment?: string | undefined;
  apiVersion?: string | undefined;
}

/** Reason why a caller's own model cannot be used, and which field is wrong. */
export interface CallerModelProblem {
  part: keyof CallerModel;
  problem: string;
}

/** Model name that selects the built-in implementation instead of a language model. */
export const BUILTIN = 'builtin';

export function getModelName(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
