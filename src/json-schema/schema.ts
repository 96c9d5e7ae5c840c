/** A JSON Schema (draft 2020-12) as callers send it. Keywords that Sluice reads are typed, the rest is kept. */
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

/** The schema a local reference points to; undefined when nothing is there. */
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
  /** References followed, `null` alternatives removed, `allOf` merged. */
  schema: JsonSchema;
  nullable: boolean;
  /** The alternatives other than null when there are several; else just `schema`. */
  options: JsonSchema[];
}

const RESOLVED = new WeakMap<JsonSchema, WeakMap<JsonSchema, ResolvedSchema>>();

/**
 * Returns what a value at this place must look like. Each schema of a root is resolved once and the result is shared, so
 * callers must not change it. `$ref` chains are followed at most 32 times. Expects a schema within the budget of
 * schema-budget.ts.
 */
export function resolve(root: JsonSchema, schema: JsonSchema): ResolvedSchema {
  const known = RESOLVED.get(root) ?? new WeakMap<JsonSchema, ResolvedSchema>();
  RESOLVED.set(root, known);
  const resolved = known.get(schema) ?? resolveOnce(root, schema);
  known.set(schema, resolved);
  return resolved;
}

function resolveOnce(root: JsonSchema, schema: JsonSchema): ResolvedSchema {
  let current = withParts(root, withReference(root, schema));
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
    .map((option) => ({ ...option, ...siblings, ...mergeMembers([option, siblings]) }));
  const nullable = isNullable || inner.length > options.length || inner.some((option) => option.nullable);
  return { schema: options[0] ?? current, nullable, options: options.length ? options : [current] };
}

function withReference(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let current = schema;
  for (let hops = 0; current.$ref !== undefined && hops < 32; hops++) {
    const { $ref, ...siblings } = current;
    current = { ...dereference(root, $ref), ...siblings };
  }
  return current;
}

/** Merges the parts of `allOf` into a schema. Of a keyword that several have, the first one counts, the schema's own most. */
function withParts(root: JsonSchema, schema: JsonSchema): JsonSchema {
  if (!schema.allOf?.length) return schema;
  const all = [schema, ...schema.allOf.map((part) => resolve(root, part).schema)].reverse();
  return { ...Object.assign({}, ...all), ...mergeMembers(all) };
}

/** The properties that schemas of one value name between them. */
function mergeMembers(schemas: JsonSchema[]): Pick<JsonSchema, 'properties' | 'required'> {
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties));
  const required = [...new Set(schemas.flatMap((schema) => schema.required ?? []))];
  return {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** The type a resolved schema names or implies; string when it says nothing. */
export function typeOf(schema: JsonSchema): string {
  if (typeof schema.type === 'string') return schema.type;
  if (schema.properties) return 'object';
  if (schema.items) return 'array';
  const sample = schema.const ?? schema.enum?.[0];
  if (typeof sample === 'number') return 'number';
  if (typeof sample === 'boolean') return 'boolean';
  return 'string';
}

/** The members of an object; none of anything else. */
export function entries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
