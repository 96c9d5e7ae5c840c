/**
 * A JSON Schema (draft 2020-12) as clients send it. Keywords that Sluice reads are typed. All other keywords
 * are stored unchanged.
 */
export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
  format?: string;
  pattern?: string;
  title?: string;
  description?: string;
  additionalProperties?: boolean | JsonSchema;
  default?: unknown;
  [keyword: string]: unknown;
}

export const MAX_LEVELS = 7;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the schema to which a local reference (`#/…`) points, or `undefined` if it does not exist. */
export function dereference(root: JsonSchema, ref: string): JsonSchema | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = safeDecode(part).replace(/~1/g, '/').replace(/~0/g, '~');
    if (!(isRecord(node) || Array.isArray(node)) || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return isRecord(node) ? node : undefined;
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export interface ResolvedSchema {
  /** The schema with references followed, `null` alternatives removed and `allOf` merged. */
  schema: JsonSchema;
  nullable: boolean;
  /**
   * Alternatives (`anyOf` or `oneOf`) for the value, without null. If there is only one, the list contains
   * only `schema`.
   */
  options: JsonSchema[];
}

const RESOLVED_SCHEMAS = new WeakMap<JsonSchema, WeakMap<JsonSchema, ResolvedSchema>>();

/**
 * Follows references and merges `allOf`, so that the result describes the value directly. Each schema of a
 * root is resolved once and the result is shared, so callers must not change it. `$ref` chains are followed
 * at most 32 times. The schema must be within the limits of `SCHEMA_BUDGET`.
 */
export function resolve(root: JsonSchema, schema: JsonSchema): ResolvedSchema {
  const known = RESOLVED_SCHEMAS.get(root) ?? new WeakMap<JsonSchema, ResolvedSchema>();
  RESOLVED_SCHEMAS.set(root, known);
  const resolved = known.get(schema) ?? resolveOnce(root, schema);
  known.set(schema, resolved);
  return resolved;
}

function resolveOnce(root: JsonSchema, schema: JsonSchema): ResolvedSchema {
  let current = mergeAllOfParts(root, followReferences(root, schema));
  let nullable = current.type === 'null';
  if (Array.isArray(current.type)) {
    const types = current.type.filter((type) => type !== 'null');
    nullable = types.length < current.type.length;
    if (types.length !== 1) {
      const options = types.map((type) => ({ ...current, type }));
      return { schema: options[0] ?? current, nullable, options };
    }
    current = { ...current, type: types[0]! };
  }
  const alternatives = current.anyOf ?? current.oneOf;
  if (alternatives) return resolveAlternatives(root, current, alternatives, nullable);
  if (current.enum?.includes(null)) {
    nullable = true;
    current = { ...current, enum: current.enum.filter((value) => value !== null) };
  }
  return { schema: current, nullable, options: [current] };
}

function resolveAlternatives(
  root: JsonSchema,
  current: JsonSchema,
  alternatives: JsonSchema[],
  isNullable: boolean,
): ResolvedSchema {
  const { anyOf: _any, oneOf: _one, ...siblings } = current;
  const inner = alternatives.map((option) => resolve(root, option));
  const options = inner
    .filter((option) => option.schema.type !== 'null' && option.schema.const !== null)
    .flatMap((option) => option.options)
    .map((option) => ({ ...option, ...siblings, ...mergeProperties([option, siblings]) }));
  const nullable = isNullable || inner.length > options.length || inner.some((option) => option.nullable);
  return { schema: options[0] ?? current, nullable, options: options.length ? options : [current] };
}

function followReferences(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let current = schema;
  for (let hops = 0; current.$ref !== undefined && hops < 32; hops++) {
    const { $ref, ...siblings } = current;
    current = { ...dereference(root, $ref), ...siblings };
  }
  return current;
}

/**
 * Merges the parts of `allOf` into a schema. If several parts have the same keyword, the schema's own value
 * wins, followed by the first part's value.
 */
function mergeAllOfParts(root: JsonSchema, schema: JsonSchema): JsonSchema {
  if (!schema.allOf?.length) return schema;
  const all = [schema, ...schema.allOf.map((part) => resolve(root, part).schema)].reverse();
  return { ...Object.assign({}, ...all), ...mergeProperties(all) };
}

/** Merges the `properties` and `required` lists of schemas that describe the same value. */
function mergeProperties(schemas: JsonSchema[]): Pick<JsonSchema, 'properties' | 'required'> {
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties));
  const required = [...new Set(schemas.flatMap((schema) => schema.required ?? []))];
  return {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** Returns the type that a resolved schema names or implies. Returns 'string' if there is no indication. */
export function getSchemaType(schema: JsonSchema): string {
  if (typeof schema.type === 'string') return schema.type;
  if (schema.properties) return 'object';
  if (schema.items) return 'array';
  const sample = schema.const ?? schema.enum?.[0];
  if (typeof sample === 'number') return 'number';
  if (typeof sample === 'boolean') return 'boolean';
  return 'string';
}

/** Returns the entries of an object, or an empty array for any other value. */
export function entries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
