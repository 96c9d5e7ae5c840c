import { isRecord, type JsonSchema } from '../schema.ts';

/** Beyond this a model is asked for a schema in parts. Characters of JSON. */
export const PART_CHARACTERS = 16_000;

/**
 * A schema as parts that a model can be asked for one after the other, each an object schema with some of the
 * properties; merged, their answers are an answer to the whole. Objects that are too large by themselves are
 * parted further; lists stay whole, since their items would not line up.
 */
export function partsOf(schema: JsonSchema, limit = PART_CHARACTERS): JsonSchema[] {
  if (sizeOf(schema.properties) <= limit) return [schema];
  const pieces = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    piecesOf(property, limit).map((piece) => [name, piece] as const),
  );
  const parts: Record<string, JsonSchema>[] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const [name, piece] of pieces) {
    const own = sizeOf(piece) + name.length;
    const current = parts.at(-1);
    if (!current || size + own > limit || Object.hasOwn(current, name)) {
      parts.push({ [name]: piece });
      size = own;
    } else {
      current[name] = piece;
      size += own;
    }
  }
  return parts.map((properties) => ({ ...schema, properties, required: requiredOf(schema, properties) }));
}

function piecesOf(property: JsonSchema, limit: number): JsonSchema[] {
  return property.type === 'object' && property.properties ? partsOf(property, limit) : [property];
}

function requiredOf(schema: JsonSchema, properties: Record<string, JsonSchema>): string[] {
  return (schema.required ?? []).filter((name) => Object.hasOwn(properties, name));
}

const sizeOf = (value: unknown) => JSON.stringify(value ?? {}).length;

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
