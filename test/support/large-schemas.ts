// Schemas that are short as JSON but huge after resolving references.

type Schema = Record<string, unknown>;
/** Returns a schema that contains `inner` twice. */
export type Doubling = (inner: Schema) => Schema;

/** Doublings for each family of schema keywords. */
export const DOUBLINGS: Record<string, Doubling> = {
  allOf: (inner) => ({ allOf: [inner, { ...inner }] }),
  anyOf: (inner) => ({ anyOf: [inner, { ...inner }] }),
  oneOf: (inner) => ({ oneOf: [inner, { ...inner }] }),
  'items and prefixItems': (inner) => ({ type: 'array', items: inner, prefixItems: [{ ...inner }] }),
  'additionalProperties and patternProperties': (inner) => ({
    additionalProperties: inner,
    patternProperties: { '^a': { ...inner } },
  }),
  dependentSchemas: (inner) => ({ dependentSchemas: { a: inner, b: { ...inner } } }),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  'if and then': (inner) => ({ if: inner, then: { ...inner } }),
  'not and else': (inner) => ({ not: inner, else: { ...inner } }),
  'contains and propertyNames': (inner) => ({ contains: inner, propertyNames: { ...inner } }),
};

/** Returns a schema that expands to 2^levels schemas. */
export function doublingSchema(double: Doubling, levels: number, leaf: Schema = { type: 'string' }): Schema {
  const definitions = Array.from({ length: levels }, (_, level) => [
    `d${level}`,
    level === levels - 1 ? leaf : double({ $ref: `#/$defs/d${level + 1}` }),
  ]);
  return {
    type: 'object',
    properties: { x: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(definitions),
  };
}

/** Schema that every endpoint must reject. */
export const HUGE_SCHEMA = doublingSchema(DOUBLINGS.allOf!, 26);
