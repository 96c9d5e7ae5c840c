import { INFERRED_SCHEMA, NAMED_SCHEMAS, type NamedSchema } from '#src/json-schema/named-schemas/index.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';

/**
 * The schema that a parse is asked to fill in beside its pages, as it was given; `inferred`: one made of what the
 * document shows. Undefined: none is asked for.
 */
export function askedSchema(parameters: ParseParameters): JsonSchema | 'inferred' | undefined {
  const { structured_output: isWanted, structured_output_json_schema: schema } = parameters;
  const { structured_output_json_schema_name: name } = parameters;
  if (isWanted === false) return undefined;
  if (schema) return JSON.parse(schema) as JsonSchema;
  if (name && name !== INFERRED_SCHEMA) return NAMED_SCHEMAS[name as NamedSchema];
  return isWanted || name ? 'inferred' : undefined;
}
