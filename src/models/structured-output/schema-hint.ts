import type { LanguageModelMiddleware } from 'ai';

/** Marks a call whose schema is only a hint, for models to which no option of their own says so. */
export const HINT = { sluice: { schemaIsHint: true } };

/**
 * The provider options of a call whose schema constrained decoding may not know: each vendor is told in its own words
 * to read it and not to enforce it. The schema also stands in the prompt.
 */
export const SCHEMA_AS_HINT = {
  openaiCompatible: { strictJsonSchema: false },
  openai: { strictJsonSchema: false },
  azure: { strictJsonSchema: false },
  anthropic: { structuredOutputMode: 'jsonTool' },
  google: { structuredOutputs: false },
  ...HINT,
};

/** For vendors that enforce every schema they are sent: a hint is left to the prompt, and the answer is any JSON. */
export const leavingHintsOut: LanguageModelMiddleware = {
  async transformParams({ params }) {
    const { responseFormat, providerOptions } = params;
    const isHint = providerOptions?.sluice?.schemaIsHint === true;
    if (!isHint || responseFormat?.type !== 'json') return params;
    return { ...params, responseFormat: { type: 'json' } };
  },
};
