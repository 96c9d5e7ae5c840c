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
 * A caller's own model, described by parse parameters: either an endpoint, or a model name that identifies
 * the vendor.
 */
export interface OwnModel {
  /** Name of the model, or of one that the installation configures. */
  name?: string | undefined;
  key?: string | undefined;
  endpoint?: string | undefined;
  deployment?: string | undefined;
  apiVersion?: string | undefined;
}

/** Reason why a caller's own model cannot be used, and which field is wrong. */
export interface OwnProblem {
  part: keyof OwnModel;
  problem: string;
}

/** Model name that selects the built-in implementation instead of a language model. */
export const BUILTIN = 'builtin';

/** Returns the name under which response metadata reports a model. */
export function nameOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
