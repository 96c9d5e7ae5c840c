import type { LanguageModelMiddleware } from 'ai';

/**
 * Provider options that mark the JSON Schema of a call as a hint. They are for models without their own
 * option for this purpose.
 */
export const HINT = { sluice: { schemaIsHint: true } };

/**
 * Provider options for a schema that constrained decoding may not support. Each vendor is told with its own
 * option not to enforce the schema. The prompt contains the schema too.
 */
export const SCHEMA_AS_HINT = {
  openaiCompatible: { strictJsonSchema: false },
  openai: { strictJsonSchema: false },
  azure: { strictJsonSchema: false },
  anthropic: { structuredOutputMode: 'jsonTool' },
  google: { structuredOutputs: false },
  ...HINT,
};

/**
 * Removes a schema that is only a hint from the response format, for vendors that enforce every schema. The
 * prompt still contains the schema.
 */
export const removeSchemaHints: LanguageModelMiddleware = {
  async transformParams({ params }) {
    const { responseFormat, providerOptions } = params;
    const isHint = providerOptions?.sluice?.schemaIsHint === true;
    if (!isHint || responseFormat?.type !== 'json') return params;
    return { ...params, responseFormat: { type: 'json' } };
  },
};
