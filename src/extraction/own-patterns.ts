import { isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { DEFINITIONS, LISTS, MAPS, SINGLE } from '#src/json-schema/subschemas.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { patternFormat } from './formats.ts';

// The validation library compiles `pattern` and `patternProperties` with an engine that one of them can hold for
// ever. Here a schema is given another wording, without either, that holds for the same values.

/** The patterns that a schema holds texts and names of properties to. */
export function patternsOf(schema: unknown): { texts: Set<string>; names: Set<string> } {
  const found = { texts: new Set<string>(), names: new Set<string>() };
  reword(schema, (node) => {
    if (typeof node.pattern === 'string') found.texts.add(node.pattern);
    if (isRecord(node.patternProperties)) {
      for (const pattern of Object.keys(node.patternProperties)) found.names.add(pattern);
    }
    return node;
  });
  return found;
}

/**
 * The schema with each `pattern` as a format and each of the `patternProperties` as the properties that it means
 * among `names`: at least those that the value to be checked has anywhere. `finish` is applied to each schema in it.
 */
export function withoutPatterns(
  schema: JsonSchema,
  names: readonly string[],
  finish: (node: JsonSchema) => JsonSchema = (node) => node,
): JsonSchema {
  return reword(schema, (node) => finish(withNames(withFormat(node, finish), names, finish))) as JsonSchema;
}

function withFormat({ pattern, ...node }: JsonSchema, finish: (node: JsonSchema) => JsonSchema): JsonSchema {
  if (pattern === undefined) return node;
  return { ...node, allOf: [...(node.allOf ?? []), finish({ format: patternFormat(pattern) })] };
}

function withNames(
  { patternProperties, ...node }: JsonSchema,
  names: readonly string[],
  finish: (node: JsonSchema) => JsonSchema,
): JsonSchema {
  if (!isRecord(patternProperties)) return node;
  const properties = new Map(Object.entries(node.properties ?? {}));
  for (const [source, inner] of Object.entries(patternProperties)) {
    const pattern = compilePattern(source);
    for (const name of names) {
      if (!pattern.test(name)) continue;
      const own = properties.get(name);
      properties.set(
        name,
        (own === undefined ? inner : finish({ allOf: [own, inner] as JsonSchema[] })) as JsonSchema,
      );
    }
  }
  return { ...node, properties: Object.fromEntries(properties) };
}

/** Every name of a property in a value. */
export function namesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) namesIn(item, found);
  else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      found.add(name);
      namesIn(inner, found);
    }
  }
  return found;
}

/** Applies `change` to each schema in a schema, inner ones first; what is data in it stays. */
export function reword(schema: unknown, change: (node: JsonSchema) => JsonSchema): unknown {
  if (!isRecord(schema)) return schema;
  const node: Record<string, unknown> = { ...schema };
  const inner = (value: unknown) => reword(value, change);
  const inEach = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  for (const keyword of [...MAPS, ...DEFINITIONS]) {
    if (isRecord(node[keyword])) node[keyword] = inEach(node[keyword]);
  }
  for (const keyword of LISTS) if (Array.isArray(node[keyword])) node[keyword] = node[keyword].map(inner);
  for (const keyword of SINGLE) if (isRecord(node[keyword])) node[keyword] = inner(node[keyword]);
  return change(node);
}
