import { isRecord, type JsonSchema } from '../schema.ts';

/** Where the wrapper puts the caller's schema: references into it have to follow. */
const INSIDE = '#/properties/values/items';

/**
 * What the model is asked to answer: objects of the caller's schema in which every scalar may be null, so that
 * nothing has to be invented, and the places it read them from.
 */
export function answerSchema(schema: JsonSchema): Record<string, unknown> {
  const { $defs, definitions, ...rest } = schema;
  const tables = {
    ...($defs && { $defs: relaxAll($defs) }),
    ...(definitions && { definitions: relaxAll(definitions) }),
  };
  const object = { type: 'object', additionalProperties: false };
  const source = {
    path: { type: 'string' },
    page: { type: 'integer' },
    text: { type: 'string' },
    confidence: { type: 'number' },
  };
  return {
    ...object,
    properties: {
      values: { type: 'array', items: relax(rest, true) },
      sources: { type: 'array', items: { ...object, properties: source, required: Object.keys(source) } },
    },
    required: ['values', 'sources'],
    ...tables,
  };
}

function relaxAll(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, relax(schema)]));
}

function relax(schema: JsonSchema, isRoot = false): JsonSchema {
  const relaxed: JsonSchema = { ...schema };
  delete relaxed.$schema;
  if (schema.$ref !== undefined) relaxed.$ref = moved(schema.$ref);
  if (schema.properties) relaxed.properties = relaxAll(schema.properties);
  if (isRecord(schema.items)) relaxed.items = relax(schema.items);
  if (isRecord(schema.additionalProperties))
    relaxed.additionalProperties = relax(schema.additionalProperties);
  for (const name of ['anyOf', 'oneOf', 'allOf'] as const) {
    if (schema[name]) relaxed[name] = schema[name].map((option) => relax(option));
  }
  if (isRoot || schema.const !== undefined) return relaxed;
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const isScalar = types.length > 0 && !types.includes('object') && !types.includes('array');
  if (isScalar && !types.includes('null')) {
    relaxed.type = [...types, 'null'];
    if (schema.enum) relaxed.enum = [...schema.enum, null];
  }
  return relaxed;
}

function moved(ref: string): string {
  if (/^#\/(\$defs|definitions)\//.test(ref)) return ref;
  return ref === '#' ? INSIDE : ref.replace(/^#\//, `${INSIDE}/`);
}
