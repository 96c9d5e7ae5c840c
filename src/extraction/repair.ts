import { getSchemaType, isRecord, type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { canonicalJson } from '#src/lib/secrets/hash.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { toPointer } from './evidence.ts';
import { convertScalar, isScalar, type Scalar } from './scalars.ts';
import { beginChecks, fits, getPreparedSchema } from './validate.ts';
import type { DateOrder } from './values/dates.ts';

export interface Repaired {
  value: unknown;
  /** JSON pointers into the original value. They locate the values that were converted or dropped. */
  changed: string[];
  /**
   * JSON pointers of required values that the document does not state. They are null although the schema does
   * not allow null.
   */
  missing: string[];
  /** Maps the JSON pointer of each moved value in the result to its JSON pointer in the original value. */
  sources: ReadonlyMap<string, string>;
  steps: number;
}

export interface RepairOptions {
  /** Order of day and month in the document's dates. If it is undefined, ambiguous dates are dropped. */
  dateOrder?: DateOrder | undefined;
  /** Whether the value is only a part of an answer. Its lists and objects may then be incomplete. */
  isPart?: boolean;
  /**
   * Returns whether the document states a scalar value. `at` is the JSON pointer of the scalar in the
   * original value.
   */
  isStated?: (value: Scalar, at: string, schema: JsonSchema) => boolean;
}

/**
 * Makes a value fit a schema without inventing anything. Types are converted if the meaning is certain, for
 * example "1.163,40 EUR" to a number or "12 May 2020" to a date. Properties that the schema does not allow
 * are dropped. A value that cannot be read or breaks a rule becomes null, or is removed if it is optional and
 * not nullable. The result fits the schema, except for the values in `missing`.
 */
export function repair(schema: JsonSchema, value: unknown, reading: RepairOptions = {}): Repaired {
  const run = new Repair(schema, value, reading);
  const repaired = run.fix(schema, value, { at: '', from: '' }, true);
  const { changed, missing, sources, steps } = run;
  return { value: repaired, changed, missing, sources, steps };
}

export function findSourcePointer({ sources }: Pick<Repaired, 'sources'>, path: (string | number)[]): string {
  for (let end = path.length; end > 0; end--) {
    const from = sources.get(toPointer(path.slice(0, end)));
    if (from !== undefined) return from + toPointer(path.slice(end));
  }
  return toPointer(path);
}

/** JSON pointers of one value: `at` in the repaired result, and `from` in the original value. */
interface Place {
  at: string;
  from: string;
}

/** Schema keywords that apply to a list or object as a whole, and not to single items or properties. */
const WHOLE_VALUE_RULES = [
  'minItems',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'propertyNames',
];
/**
 * Maximum number of properties that are removed on trial, one at a time, from an object that breaks a schema
 * rule.
 */
const MAX_TRIALS = 50;

class Repair {
  readonly changed: string[] = [];
  readonly missing: string[] = [];
  readonly sources = new Map<string, string>();
  private readonly root: JsonSchema;
  private readonly reading: RepairOptions;
  private readonly targets: ReturnType<typeof getPreparedSchema>;

  constructor(root: JsonSchema, value: unknown, reading: RepairOptions) {
    this.root = root;
    this.reading = reading;
    this.targets = getPreparedSchema(root);
    beginChecks(this.targets, value);
  }

  get steps(): number {
    return this.targets.steps.taken;
  }

  fix(schema: JsonSchema, value: unknown, place: Place, required: boolean): unknown {
    const fitting = this.fitValue(schema, value, place);
    if (fitting !== undefined) return fitting;
    if (this.isNullable(schema)) return null;
    if (!required) return undefined;
    this.missing.push(place.at);
    return null;
  }

  private isNullable(schema: JsonSchema): boolean {
    return resolve(this.root, schema).nullable && fits(this.targets, schema, null);
  }

  private fitValue(schema: JsonSchema, value: unknown, place: Place): unknown {
    if (value === null || value === undefined) return undefined;
    if (place.at === place.from) this.sources.delete(place.at);
    else this.sources.set(place.at, place.from);
    const { options: all } = resolve(this.root, schema);
    if (all.length > 1)
      this.targets.steps.add(all.length * (isRecord(value) ? Object.keys(value).length : 1));
    const options = sortByLoss(all, value);
    const exact =
      options.length > 1 ? options.find((option) => fits(this.targets, option, value)) : undefined;
    const [missing, changed] = [this.missing.length, this.changed.length];
    for (const option of exact ? [exact] : options) {
      const converted = this.convert(option, value, place);
      const isWhole = this.missing.length === missing;
      const fitted =
        converted === undefined ? undefined : this.fitOption(schema, option, converted, isWhole, place);
      if (fitted !== undefined) return fitted;
      this.missing.length = missing;
      this.changed.length = changed;
    }
    this.changed.push(place.from);
    return undefined;
  }

  /**
   * Returns the value if it fits the schema. Otherwise returns an object without the properties that break a
   * rule. Returns `undefined` if that does not help either.
   */
  private fitOption(schema: JsonSchema, option: JsonSchema, value: unknown, isWhole: boolean, { at }: Place) {
    const isSingle = isScalar(value);
    if (this.reading.isPart && !isSingle) return value;
    // An object that lacks a required value cannot fit the full schema. Only rules about the object as a
    // whole are checked, because missing values are reported separately.
    const rules =
      isSingle || isWhole
        ? schema
        : Object.fromEntries(Object.entries(option).filter(([name]) => WHOLE_VALUE_RULES.includes(name)));
    const holds = (candidate: unknown) => fits(this.targets, rules, candidate);
    if (holds(value)) return value;
    const rest = isRecord(value) ? trimToFit(value, option.required ?? [], holds) : undefined;
    if (rest !== undefined || at !== '') return rest;
    // The top-level value of the result cannot be dropped, so it is reported as missing.
    this.missing.push(at);
    return value;
  }

  private convert(schema: JsonSchema, value: unknown, place: Place): unknown {
    const type = getSchemaType(schema);
    if (type === 'object') return this.repairObject(schema, value, place);
    if (type === 'array') return this.repairArray(schema, value, place);
    // A schema without a type or enum allows any value. Strings are still converted if possible.
    const isOpen = schema.type === undefined && typeof value !== 'string' && !schema.enum;
    const single =
      isOpen && fits(this.targets, schema, value)
        ? value
        : convertScalar(schema, value, this.reading.dateOrder);
    if (single === undefined) return undefined;
    if (single !== value) this.changed.push(place.from);
    const isStated = !isScalar(single) || (this.reading.isStated?.(single, place.from, schema) ?? true);
    return isStated ? single : undefined;
  }

  private repairObject(schema: JsonSchema, value: unknown, { at, from }: Place): unknown {
    if (!isRecord(value)) return undefined;
    const required = new Set(schema.required);
    // Collects name and value pairs instead of assigning properties, because a property may be named
    // `__proto__` or `toString`.
    const out: [name: string, value: unknown][] = [];
    const names = new Set([...Object.keys(schema.properties ?? {}), ...Object.keys(value)]);
    this.targets.steps.add(names.size * (1 + Object.keys(schema.patternProperties ?? {}).length));
    for (const name of names) {
      const member = findPropertySchema(schema, name);
      if (!member) continue;
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const place = { at: at + toPointer([name]), from: from + toPointer([name]) };
      const fixed = this.fix(member, own, place, required.has(name));
      if (fixed !== undefined) out.push([name, fixed]);
    }
    return Object.fromEntries(out);
  }

  private repairArray(schema: JsonSchema, value: unknown, { at, from }: Place): unknown {
    // If the schema requires a list, a single value becomes a list with one item.
    const isList = Array.isArray(value);
    const items: unknown[] = isList ? value : [value];
    const first = Array.isArray(schema.prefixItems) ? (schema.prefixItems as JsonSchema[]) : [];
    const out: unknown[] = [];
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      const own = first[index] ?? schema.items ?? {};
      const place = { at: `${at}/${out.length}`, from: isList ? `${from}/${index}` : from };
      const fixed = this.fitValue(own, item, place) ?? (this.isNullable(own) ? null : undefined);
      if (fixed === undefined) continue;
      const text = schema.uniqueItems ? canonicalJson(fixed) : '';
      if (text && seen.has(text)) continue;
      seen.add(text);
      out.push(fixed);
    }
    const most = this.reading.isPart ? undefined : schema.maxItems;
    return most === undefined ? out : out.slice(0, Number(most));
  }
}

/**
 * Returns the schema of a property. Returns `undefined` if the schema neither names nor allows the property.
 */
function findPropertySchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  const patterns = Object.entries((schema.patternProperties ?? {}) as Record<string, JsonSchema>);
  const own = patterns.flatMap(([pattern, inner]) => (compilePattern(pattern).test(name) ? [inner] : []));
  if (Object.hasOwn(schema.properties ?? {}, name)) own.unshift(schema.properties![name]!);
  if (own.length > 0) return own.length === 1 ? own[0] : { allOf: own };
  const rest = schema.additionalProperties ?? schema.unevaluatedProperties;
  if (rest === true || isRecord(rest)) return rest === true ? {} : (rest as JsonSchema);
  const sometimes = [schema.then, schema.else, ...Object.values(schema.dependentSchemas ?? {})];
  const anyOf = sometimes.flatMap((inner) =>
    isRecord(inner) && isRecord(inner.properties) && Object.hasOwn(inner.properties, name)
      ? [inner.properties[name] as JsonSchema]
      : [],
  );
  return anyOf.length > 0 ? { anyOf } : undefined;
}

/** Sorts alternative schemas by the number of the object's properties that each would drop, fewest first. */
function sortByLoss(options: JsonSchema[], value: unknown): JsonSchema[] {
  if (options.length < 2 || !isRecord(value)) return options;
  const names = Object.keys(value).filter((name) => value[name] !== null);
  const loss = (option: JsonSchema) => names.filter((name) => !findPropertySchema(option, name)).length;
  return [...options].sort((left, right) => loss(left) - loss(right));
}

/**
 * Makes an object fit by removing the one property that breaks a rule. If no single removal helps, removes as
 * many of the last properties as necessary. Returns `undefined` if no removal helps.
 */
function trimToFit(
  value: Record<string, unknown>,
  required: string[],
  holds: (value: unknown) => boolean,
): unknown {
  const free = Object.keys(value)
    .filter((name) => !required.includes(name))
    .reverse()
    .slice(0, MAX_TRIALS);
  const trials = [...free.map((name) => [name]), ...free.map((_, index) => free.slice(0, index + 1))];
  for (const trial of trials) {
    const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !trial.includes(name)));
    if (holds(rest)) return rest;
  }
  return undefined;
}
