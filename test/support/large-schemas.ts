// Schemas that are short as JSON and huge once their references are followed.

type Schema = Record<string, unknown>;
/** Makes a schema that refers to another one twice. */
export type Doubling = (inner: Schema) => Schema;

/** One or more doublings for each family of keywords that can hold a schema. */
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

/** A schema whose size doubles with each level: 2^levels schemas once it is written out. */
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

/** What every request that gives a schema refuses. */
export const HUGE_SCHEMA = doublingSchema(DOUBLINGS.allOf!, 26);
