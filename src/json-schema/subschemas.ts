import { entries, isRecord, type JsonSchema } from './schema.ts';

/** Keywords that hold a list of alternatives or parts which describe the same value. */
export const COMBINERS = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords that hold one schema which describes the same value. */
export const CONDITIONS = ['not', 'if', 'then', 'else'] as const;
/** Keywords that hold schemas under names. */
export const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'] as const;
/** Keywords that hold lists of schemas. */
export const LISTS = [...COMBINERS, 'prefixItems', 'items'] as const;
/** Keywords that hold one schema. */
export const SINGLE = [
  ...['items', 'additionalItems', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['contains', 'propertyNames', ...CONDITIONS],
] as const;
/** Keywords that hold schemas for references to name. They describe no value by themselves. */
export const DEFINITIONS = ['$defs', 'definitions'] as const;

/** Returns the schemas that stand directly inside a schema. Definitions, and schemas behind references, are not among them. */
export function subschemas(schema: JsonSchema): JsonSchema[] {
  const found: unknown[] = [];
  for (const keyword of MAPS) for (const [, inner] of entries(schema[keyword])) found.push(inner);
  for (const keyword of LISTS) {
    const list: unknown = schema[keyword];
    if (Array.isArray(list)) for (const inner of list) found.push(inner);
  }
  for (const keyword of SINGLE) found.push(schema[keyword]);
  return found.filter(isRecord);
}
