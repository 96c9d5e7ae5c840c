import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { detectDateOrder, findDates } from './builtin/values/dates.ts';
import { findAmounts } from './builtin/values/numbers.ts';
import { pointer } from './evidence.ts';
import { isRecord, type JsonSchema, type ResolvedSchema, resolve, typeOf } from './schema.ts';

const YES = new Set(['true', 'yes', 'y', '1', 'ja', 'oui', 'tak', 'si']);
const NO = new Set(['false', 'no', 'n', '0', 'nein', 'nee', 'non', 'nie']);

export interface Repaired {
  value: unknown;
  /** JSON pointers of values that were changed to fit or given up. */
  changed: string[];
  /** Required places that stay null although the schema allows no null: nothing in the document says them. */
  missing: string[];
  /** Where list items came from when ones before them were dropped: JSON pointer of the item to its old index. */
  moved: ReadonlyMap<string, number>;
}

/**
 * Makes a value fit a schema without inventing anything: types are converted where the meaning is certain
 * ("1.163,40 EUR" for a number, "12 May 2020" for a date), unknown properties are dropped where the schema
 * forbids them, and what cannot be read becomes null, or absent when the place is optional and not nullable.
 */
export function repair(schema: JsonSchema, value: unknown): Repaired {
  const run = new Repair(schema);
  const repaired = run.fix(schema, value, '', true);
  return { value: repaired, changed: run.changed, missing: run.missing, moved: run.moved };
}

class Repair {
  readonly changed: string[] = [];
  readonly missing: string[] = [];
  readonly moved = new Map<string, number>();
  private readonly root: JsonSchema;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  fix(schema: JsonSchema, value: unknown, at: string, required: boolean): unknown {
    const resolved = resolve(this.root, schema);
    const fixed = this.bestOption(resolved, value, at);
    if (fixed !== undefined && fixed !== null) return fixed;
    if (resolved.nullable) return null;
    if (!required) return undefined;
    this.missing.push(at);
    return null;
  }

  private bestOption(resolved: ResolvedSchema, value: unknown, at: string): unknown {
    if (value === null || value === undefined) return undefined;
    const exact = resolved.options.find(
      (option) => resolved.options.length > 1 && isValid(this.root, option, value),
    );
    for (const option of exact ? [exact] : resolved.options) {
      const fixed = this.convert(option, value, at);
      if (fixed !== undefined) return fixed;
    }
    return undefined;
  }

  private convert(schema: JsonSchema, value: unknown, at: string): unknown {
    const type = typeOf(schema);
    if (type === 'object') return this.object(schema, value, at);
    if (type === 'array') return this.array(schema, value, at);
    const fixed = scalar(schema, type, value);
    if (fixed !== undefined && !isValid(this.root, schema, fixed)) {
      this.changed.push(at);
      return undefined;
    }
    if (fixed !== value) this.changed.push(at);
    return fixed;
  }

  private object(schema: JsonSchema, value: unknown, at: string): unknown {
    if (!isRecord(value)) {
      this.changed.push(at);
      return undefined;
    }
    const properties = schema.properties ?? {};
    const required = new Set(schema.required);
    // Entries, not assignments: a field may be named `__proto__`, and `toString` is not the caller's value.
    const out: [name: string, value: unknown][] = [];
    for (const [name, property] of Object.entries(properties)) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const fixed = this.fix(property, own, at + pointer([name]), required.has(name));
      if (fixed !== undefined) out.push([name, fixed]);
    }
    for (const [name, extra] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) continue;
      if (schema.additionalProperties === false) this.changed.push(at + pointer([name]));
      else if (isRecord(schema.additionalProperties)) {
        const fixed = this.fix(schema.additionalProperties, extra, at + pointer([name]), false);
        if (fixed !== undefined) out.push([name, fixed]);
      } else out.push([name, extra]);
    }
    return Object.fromEntries(out);
  }

  private array(schema: JsonSchema, value: unknown, at: string): unknown {
    // A single thing where a list belongs is a list of one.
    const items = Array.isArray(value) ? value : [value];
    if (items !== value) this.changed.push(at);
    const out: unknown[] = [];
    for (const [index, item] of items.entries()) {
      const resolved = resolve(this.root, schema.items ?? {});
      const place = `${at}/${out.length}`;
      const fixed = this.bestOption(resolved, item, place);
      if (index !== out.length) this.moved.set(place, index);
      if (fixed !== undefined) out.push(fixed);
      else if (resolved.nullable) out.push(null);
      else this.changed.push(at);
    }
    if (schema.maxItems !== undefined && out.length > Number(schema.maxItems)) {
      this.changed.push(at);
      out.length = Number(schema.maxItems);
    }
    return out;
  }
}

function scalar(schema: JsonSchema, type: string, value: unknown): unknown {
  const options = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (options) {
    if (options.includes(value)) return value;
    const wanted = plainText(value);
    return wanted === undefined ? undefined : options.find((option) => plainText(option) === wanted);
  }
  switch (type) {
    case 'string':
      return asString(schema, value);
    case 'number':
    case 'integer':
      return asNumber(type, value);
    case 'boolean':
      return asBoolean(value);
    default:
      return undefined;
  }
}

/** A scalar as it is compared with an enum's options. A list or an object is never one of them. */
function plainText(value: unknown): string | undefined {
  if (!isScalar(value)) return undefined;
  return String(value)
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function asString(schema: JsonSchema, value: unknown): string | undefined {
  if (!isScalar(value)) return undefined;
  const text = String(value).trim();
  if (text === '') return undefined;
  if (schema.format === 'date') return findDates(text, detectDateOrder(text))[0]?.value;
  if (schema.format === 'uri' && /^(?:www\.|[a-z0-9-]+\.[a-z]{2,}(?:$|\/))/i.test(text))
    return `https://${text}`;
  return typeof value === 'string' ? text : String(value);
}

function asNumber(type: string, value: unknown): number | undefined {
  let number: number | undefined;
  if (typeof value === 'number') number = value;
  else if (typeof value === 'string') {
    const plain = value.trim();
    if (/^-?\d+(?:\.\d+)?$/.test(plain)) number = Number(plain);
    else {
      const amounts = findAmounts(plain);
      if (amounts.length === 1) number = amounts[0]!.value;
    }
  }
  if (number === undefined || !Number.isFinite(number)) return undefined;
  if (type === 'integer' && !Number.isInteger(number)) return undefined;
  return number;
}

function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (!isScalar(value)) return undefined;
  const text = String(value).trim().toLowerCase();
  if (YES.has(text)) return true;
  return NO.has(text) ? false : undefined;
}

function isValid(root: JsonSchema, schema: JsonSchema, value: unknown): boolean {
  return validate({ ...schema, ...definitionsOf(root) }, value).length === 0;
}

function definitionsOf(root: JsonSchema): JsonSchema {
  return {
    ...(root.$defs && { $defs: root.$defs }),
    ...(root.definitions && { definitions: root.definitions }),
  };
}

/** The places where a value breaks a schema of draft 2020-12; none when it fits. */
export function validate(schema: JsonSchema, value: unknown): OutputUnit[] {
  return new Validator(schema as Schema, '2020-12', false).validate(value).errors;
}
