import { dereference, isRecord, type JsonSchema, resolve, typeOf } from '#src/json-schema/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';

/** Maximum characters of JSON, including definitions, before a schema is divided into parts. */
export const PART_CHARACTERS = 16_000;
/** Maximum questions per chunk, because recursive references could create any number. */
const MOST_PARTS = 200;
/**
 * Maximum number of key properties that parts of a list's items share, by which the items are joined again.
 */
const MOST_KEYS = 2;
const LIKELY_KEY = /(^|_)(id|no|nr|number|code|key|sku|name|title|date|description)$/i;

/**
 * A schema as parts that a model can be asked for one after the other, each an object schema with some of the
 * properties; put together, their answers are an answer to the whole. Objects and the items of lists that are too
 * large by themselves are parted further, at any depth; parts of one list share the properties that tell its items
 * apart. A union of several shapes stays whole.
 */
export function partsOf(schema: JsonSchema, limit = PART_CHARACTERS): JsonSchema[] {
  const parting = new Parting(schema, limit);
  return parting.isSmall(schema) ? [schema] : parting.objects(schema, {}).map((part) => parting.whole(part));
}

/** Divides a schema whose objects are items of a list. */
export function itemPartsOf(schema: JsonSchema, limit = PART_CHARACTERS): JsonSchema[] {
  const parting = new Parting(schema, limit);
  if (parting.isSmall(schema)) return [schema];
  return parting.items(schema).map((part) => parting.whole(part));
}

/** Returns the schema with all referenced definitions in `$defs`. */
export function standAlone(schema: JsonSchema): JsonSchema {
  return new Parting(schema, 0).whole(schema);
}

type Properties = Record<string, JsonSchema>;

class Parting {
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

  /** Divides the properties among object schemas, each of which also has the key properties. */
  objects(schema: JsonSchema, keys: Properties): JsonSchema[] {
    const parts: Properties[] = [];
    const base = this.size(keys);
    let size = Number.POSITIVE_INFINITY;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (Object.hasOwn(keys, name)) continue;
      for (const piece of this.pieces(property)) {
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
      if (parts.length > MOST_PARTS) throw tooLarge();
    }
    return parts.map((properties) => ({ ...schema, properties, required: requiredOf(schema, properties) }));
  }

  items(schema: JsonSchema): JsonSchema[] {
    return this.objects(schema, this.keysOf(schema));
  }

  private pieces(property: JsonSchema): JsonSchema[] {
    if (this.isSmall(property)) return [property];
    const { schema, options } = resolve(this.root, property);
    if (options.length > 1) return [property];
    if (typeOf(schema) === 'object' && schema.properties) return this.objects(schema, {});
    if (typeOf(schema) !== 'array' || !schema.items) return [property];
    const items = resolve(this.root, schema.items);
    if (items.options.length > 1 || !items.schema.properties) return [property];
    return this.items(items.schema).map((part) => ({ ...schema, items: part }));
  }

  /** Returns small scalars whose names suggest keys, otherwise the first scalars. */
  private keysOf(schema: JsonSchema): Properties {
    const small = Object.entries(schema.properties ?? {}).filter(([, property]) => {
      const { schema: own, options } = resolve(this.root, property);
      const isSingle = options.length === 1 && !['object', 'array'].includes(typeOf(own));
      return isSingle && this.size(property) <= this.limit / 8;
    });
    const likely = small.filter(([name]) => LIKELY_KEY.test(name));
    return Object.fromEntries((likely.length > 0 ? likely : small).slice(0, MOST_KEYS));
  }

  private size(value: JsonSchema | Properties): number {
    let size = JSON.stringify(value).length;
    for (const ref of this.reached(value)) size += this.definitionSize(ref);
    return size;
  }

  /**
   * Returns the size of a definition in characters. It is cached, because thousands of properties may refer
   * to the same definition.
   */
  private definitionSize(ref: string): number {
    const size = this.sizes.get(ref) ?? JSON.stringify(dereference(this.root, ref)).length;
    this.sizes.set(ref, size);
    return size;
  }

  /** Returns the direct and indirect references of a schema. */
  private reached(value: unknown, seen = new Set<string>()): Set<string> {
    if (Array.isArray(value)) for (const item of value) this.reached(item, seen);
    else if (isRecord(value)) {
      const { $ref: ref } = value;
      if (typeof ref === 'string' && !seen.has(ref)) {
        seen.add(ref);
        this.reached(dereference(this.root, ref), seen);
      }
      for (const [name, inner] of Object.entries(value)) {
        if (name !== '$defs' && name !== 'definitions') this.reached(inner, seen);
      }
    }
    return seen;
  }

  /** Returns a part with all definitions that it refers to. */
  whole(part: JsonSchema): JsonSchema {
    const { $defs: _defs, definitions: _definitions, ...alone } = part;
    const names = new Map([...this.reached(alone)].map((ref, index) => [ref, `d${index}`]));
    const $defs = Object.fromEntries(
      [...names].map(([ref, name]) => [name, renamed(dereference(this.root, ref)!, names)]),
    );
    return { ...renamed(alone, names), ...(names.size > 0 && { $defs }) };
  }
}

function renamed<Value>(value: Value, names: ReadonlyMap<string, string>): Value {
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk);
    if (!isRecord(inner)) return inner;
    const out = Object.fromEntries(Object.entries(inner).map(([name, child]) => [name, walk(child)]));
    const name = typeof inner.$ref === 'string' ? names.get(inner.$ref) : undefined;
    return name === undefined ? out : { ...out, $ref: `#/$defs/${name}` };
  };
  return walk(value) as Value;
}

function requiredOf(schema: JsonSchema, properties: Properties): string[] {
  return (schema.required ?? []).filter((name) => Object.hasOwn(properties, name));
}

const tooLarge = () =>
  new BadRequest(`schema_validation: asking a model for this schema would take over ${MOST_PARTS} questions`);
