import { entries, isRecord, type JsonSchema } from './schema.ts';

/** JSON Schema keywords that contain a list of schemas for the same value. */
export const COMBINERS = ['anyOf', 'oneOf', 'allOf'] as const;
/** JSON Schema keywords that contain one schema for the same value. */
export const CONDITIONS = ['not', 'if', 'then', 'else'] as const;
/** JSON Schema keywords that contain schemas by name. */
export const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'] as const;
/** JSON Schema keywords that contain a list of schemas. */
export const LISTS = [...COMBINERS, 'prefixItems', 'items'] as const;
/** JSON Schema keywords that contain one schema. */
export const SINGLE = [
  ...['items', 'additionalItems', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['contains', 'propertyNames', ...CONDITIONS],
] as const;
/**
 * JSON Schema keywords that contain schemas to which references point. Such schemas describe no value by
 * themselves.
 */
export const DEFINITIONS = ['$defs', 'definitions'] as const;

/**
 * Returns the schemas directly inside a JSON Schema. Definitions and the targets of references are not
 * included.
 */
export function listSubschemas(schema: JsonSchema): JsonSchema[] {
  const found: unknown[] = [];
  for (const keyword of MAPS) for (const [, inner] of entries(schema[keyword])) found.push(inner);
  for (const keyword of LISTS) {
    const list: unknown = schema[keyword];
    if (Array.isArray(list)) for (const inner of list) found.push(inner);
  }
  for (const keyword of SINGLE) found.push(schema[keyword]);
  return found.filter(isRecord);
}
