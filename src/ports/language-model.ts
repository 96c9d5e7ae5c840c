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

/** What a million tokens cost, in the operator's currency. */
export interface Prices {
  input: number;
  output: number;
}

/** A model of a caller's own, as parameters describe it: at an endpoint, or of a vendor that its name tells. */
export interface OwnModel {
  /** The model, or the name that one of the installation has. */
  name?: string | undefined;
  key?: string | undefined;
  endpoint?: string | undefined;
  deployment?: string | undefined;
  apiVersion?: string | undefined;
}

/** Why a caller's own model cannot be asked, and which part of what describes it is at fault. */
export interface OwnProblem {
  part: keyof OwnModel;
  problem: string;
}

/** Named in a model's place it has the built-in part do the work. */
export const BUILTIN = 'builtin';

/** What answers' metadata call a model. */
export function nameOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : model.modelId;
}
