import { dereference, getSchemaType, isRecord, type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';

/**
 * Maximum size of a schema in JSON characters, including definitions. Larger schemas are divided into parts
 * for several model calls.
 */
export const PART_CHARACTERS = 16_000;
/**
 * Maximum number of schema parts, and so of model calls, per chunk of pages. Without it, recursive references
 * could create any number of parts.
 */
const MAX_PARTS = 200;
/**
 * Maximum number of key properties in list items. All parts of a list's schema share them, so that items of
 * different answers can be joined.
 */
const MAX_KEYS = 2;
const LIKELY_KEY = /(^|_)(id|no|nr|number|code|key|sku|name|title|date|description)$/i;

/**
 * Divides a large schema into object schemas, which a model fills in one after the other. Large nested
 * objects and list items are divided too. Parts of a list share key properties. Unions of several shapes are
 * not divided.
 */
export function splitSchema(schema: JsonSchema, limit = PART_CHARACTERS): JsonSchema[] {
  const parting = new SchemaSplitter(schema, limit);
  return parting.isSmall(schema)
    ? [schema]
    : parting.splitObject(schema, {}).map((part) => parting.withDefinitions(part));
}

/** Divides the schema of list items into parts. All parts share the key properties. */
export function splitItemSchema(schema: JsonSchema, limit = PART_CHARACTERS): JsonSchema[] {
  const parting = new SchemaSplitter(schema, limit);
  if (parting.isSmall(schema)) return [schema];
  return parting.splitItems(schema).map((part) => parting.withDefinitions(part));
}

/** Returns the schema with `$defs` that contain exactly the definitions that it uses. */
export function collectDefinitions(schema: JsonSchema): JsonSchema {
  return new SchemaSplitter(schema, 0).withDefinitions(schema);
}

type Properties = Record<string, JsonSchema>;

class SchemaSplitter {
  private readonly root: JsonSchema;
  private readonly limit: number;
  private readonly sizes = new Map<string, number>();

  constructor(root: JsonSchema, limit: number) {
    this.root = root;
    this.limit = limit;
  }

  isSmall(schema: JsonSchema): boolean {
    return this.size(schema) <= this.limit;
  }

  /**
   * Distributes the properties of an object among several object schemas. Each schema also gets the key
   * properties.
   */
  splitObject(schema: JsonSchema, keys: Properties): JsonSchema[] {
    const parts: Properties[] = [];
    const base = this.size(keys);
    let size = Number.POSITIVE_INFINITY;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (Object.hasOwn(keys, name)) continue;
      for (const piece of this.splitProperty(property)) {
        const own = this.size(piece) + name.length;
        const current = parts.at(-1);
        if (current && size + own <= this.limit && !Object.hasOwn(current, name)) {
          current[name] = piece;
          size += own;
        } else {
          parts.push({ ...keys, [name]: piece });
          size = base + own;
        }
      }
      if (parts.length > MAX_PARTS) throw createTooLargeError();
    }
    return parts.map((properties) => ({
      ...schema,
      properties,
      required: filterRequired(schema, properties),
    }));
  }

  splitItems(schema: JsonSchema): JsonSchema[] {
    return this.splitObject(schema, this.pickKeys(schema));
  }

  private splitProperty(property: JsonSchema): JsonSchema[] {
    if (this.isSmall(property)) return [property];
    const { schema, options } = resolve(this.root, property);
    if (options.length > 1) return [property];
    if (getSchemaType(schema) === 'object' && schema.properties) return this.splitObject(schema, {});
    if (getSchemaType(schema) !== 'array' || !schema.items) return [property];
    const items = resolve(this.root, schema.items);
    if (items.options.length > 1 || !items.schema.properties) return [property];
    return this.splitItems(items.schema).map((part) => ({ ...schema, items: part }));
  }

  /**
   * Returns properties that identify a list item: small scalars whose names suggest keys, or otherwise the
   * first small scalars.
   */
  private pickKeys(schema: JsonSchema): Properties {
    const small = Object.entries(schema.properties ?? {}).filter(([, property]) => {
      const { schema: own, options } = resolve(this.root, property);
      const isSingle = options.length === 1 && !['object', 'array'].includes(getSchemaType(own));
      return isSingle && this.size(property) <= this.limit / 8;
    });
    const likely = small.filter(([name]) => LIKELY_KEY.test(name));
    return Object.fromEntries((likely.length > 0 ? likely : small).slice(0, MAX_KEYS));
  }

  private size(value: JsonSchema | Properties): number {
    let size = JSON.stringify(value).length;
    for (const ref of this.collectReferences(value)) size += this.definitionSize(ref);
    return size;
  }

  /**
   * Returns the size of a definition in JSON characters. The size is cached, because thousands of properties
   * may refer to one definition.
   */
  private definitionSize(ref: string): number {
    const size = this.sizes.get(ref) ?? JSON.stringify(dereference(this.root, ref)).length;
    this.sizes.set(ref, size);
    return size;
  }

  private collectReferences(value: unknown, seen = new Set<string>()): Set<string> {
    if (Array.isArray(value)) for (const item of value) this.collectReferences(item, seen);
    else if (isRecord(value)) {
      const { $ref: ref } = value;
      if (typeof ref === 'string' && !seen.has(ref)) {
        seen.add(ref);
        this.collectReferences(dereference(this.root, ref), seen);
      }
      for (const [name, inner] of Object.entries(value)) {
        if (name !== '$defs' && name !== 'definitions') this.collectReferences(inner, seen);
      }
    }
    return seen;
  }

  withDefinitions(part: JsonSchema): JsonSchema {
    const { $defs: _defs, definitions: _definitions, ...alone } = part;
    const names = new Map([...this.collectReferences(alone)].map((ref, index) => [ref, `d${index}`]));
    const $defs = Object.fromEntries(
      [...names].map(([ref, name]) => [name, renameReferences(dereference(this.root, ref)!, names)]),
    );
    return { ...renameReferences(alone, names), ...(names.size > 0 && { $defs }) };
  }
}

function renameReferences<Value>(value: Value, names: ReadonlyMap<string, string>): Value {
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk);
    if (!isRecord(inner)) return inner;
    const out = Object.fromEntries(Object.entries(inner).map(([name, child]) => [name, walk(child)]));
    const name = typeof inner.$ref === 'string' ? names.get(inner.$ref) : undefined;
    return name === undefined ? out : { ...out, $ref: `#/$defs/${name}` };
  };
  return walk(value) as Value;
}

function filterRequired(schema: JsonSchema, properties: Properties): string[] {
  return (schema.required ?? []).filter((name) => Object.hasOwn(properties, name));
}

const createTooLargeError = () =>
  new BadRequest(
    `schema_validation: this schema would take more than ${MAX_PARTS} model calls. Use a smaller schema.`,
  );
