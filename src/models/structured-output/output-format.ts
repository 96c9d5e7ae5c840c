import { jsonSchema, Output } from 'ai';
import { SCHEMA_AS_HINT } from './schema-hint.ts';

export interface ObjectFormat {
  /** JSON Schema of draft 2020-12. If absent, any JSON object is accepted. */
  schema?: Record<string, unknown> | undefined;
  /**
   * False if constrained decoding may not support the schema. The schema is then only a hint to the model.
   */
  isStrict: boolean;
}

/**
 * Returns the settings of a call that make a language model answer with a JSON object, and the instruction for
 * the system prompt. The schema is in both, because some endpoints ignore the settings.
 */
export function requestObject({ schema, isStrict }: ObjectFormat) {
  return {
    instruction: schema
      ? `Answer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(schema)}`
      : 'Answer with one JSON object and nothing else.',
    settings: {
      output: schema
        ? Output.object({ schema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]) })
        : Output.json(),
      ...(schema && !isStrict && { providerOptions: SCHEMA_AS_HINT }),
    },
  };
}
