import { isValid, type Schema, withoutNull } from './openapi.ts';

/** Returns a minimal valid value of a schema, or `undefined` if none can be derived. */
export function sample(schema: Schema): unknown {
  const plain = withoutNull(schema);
  if (plain.const !== undefined) return plain.const;
  if (plain.enum) return plain.enum[0];
  const variants = plain.anyOf ?? plain.oneOf;
  if (variants && !plain.properties) return sample(variants[0]!);
  switch (plain.type) {
    case 'object': {
      const names = plain.required ?? [];
      return Object.fromEntries(names.map((name) => [name, sample(plain.properties?.[name] ?? {})]));
    }
    case 'array':
      return Array.from({ length: plain.minItems ?? 0 }, () => sample(plain.items ?? {}));
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return plain.minimum ?? (plain.exclusiveMinimum ?? 0) + 1;
    default:
      return sampleText(plain);
  }
}

const FORMATS: Record<string, string> = {
  uuid: '3f1c7c1e-6f5b-4f0e-9d0a-5d8f6c1b2a30',
  'date-time': '2026-03-14T09:26:53Z',
  date: '2026-03-14',
  uri: 'https://93.184.215.14/a',
  email: 'someone@mail.example',
};

function sampleText(schema: Schema): string {
  const text = FORMATS[schema.format ?? ''] ?? 'en';
  return text.length >= (schema.minLength ?? 0) ? text : text.padEnd(schema.minLength ?? 0, 'x');
}

/** Longest text that is probed. Longer limits protect memory and take seconds to probe. */
const LONGEST_TEXT = 100_000;

/** Returns values at and just beyond every bound of a schema, and values of other types. */
function candidates(schema: Schema): unknown[] {
  const plain = withoutNull(schema);
  const values: unknown[] = [null, {}, [], 'text', '', true, 12.5, -3];
  if (plain.enum) values.push(...plain.enum, `${plain.enum.at(-1)}x`);
  if (plain.format) values.push(sampleText(plain), `${sampleText(plain)}!`);
  for (const bound of [plain.minimum, plain.maximum, plain.exclusiveMinimum, plain.exclusiveMaximum]) {
    if (bound !== undefined) values.push(bound, bound - 1, bound + 1, bound - 0.001, bound + 0.001);
  }
  for (const bound of [plain.minLength, plain.maxLength]) {
    if (bound !== undefined && bound <= LONGEST_TEXT)
      values.push(...[bound - 1, bound, bound + 1].map((n) => 'x'.repeat(Math.max(0, n))));
  }
  for (const bound of [plain.minItems, plain.maxItems]) {
    if (bound === undefined) continue;
    const lengths = [bound - 1, bound, bound + 1].filter((length) => length >= 0);
    values.push(...lengths.map((length) => Array.from({ length }, () => sample(plain.items ?? {}))));
  }
  return values;
}

/** Input with many probed places. Each place holds a valid or invalid value. */
export interface Probe<Value> {
  value: Value;
  places: { loc: (string | number)[]; value: unknown }[];
}

export interface Probes<Value> {
  inside: Probe<Value>[];
  outside: Probe<Value>[];
}

type Loc = (string | number)[];
interface Place {
  loc: Loc;
  schema: Schema;
  required: boolean;
}

/** Probes the members of a JSON body down to two levels. */
export function bodyProbes(schema: Schema, valid: unknown): Probes<unknown> {
  const first = placesWithin(schema, []);
  const second = first.flatMap(({ loc, schema: inner }) => placesWithin(inner, loc));
  const root = rootProbes(schema);
  return merge([root, rounds(first, valid), ...byParent(second).map((places) => rounds(places, valid))]);
}

function rootProbes(schema: Schema): Probes<unknown> {
  const tooMany = Array.from({ length: (schema.maxItems ?? 0) + 1 }, () => sample(schema.items ?? {}));
  const outside = [...(schema.maxItems ? [tooMany] : []), [], {}, 'text', 12].filter(
    (value) => !isValid(schema, value) && (value === tooMany || getType(value) !== schema.type),
  );
  return { inside: [], outside: outside.map((value) => ({ value, places: [{ loc: [], value }] })) };
}

const getType = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

function placesWithin(schema: Schema, loc: Loc): Place[] {
  const plain = withoutNull(schema);
  if (plain.type === 'array' && plain.items) {
    return loc.length === 0
      ? placesWithin(plain.items, [0])
      : [{ loc: [...loc, 0], schema: plain.items, required: false }];
  }
  return Object.entries(plain.properties ?? {}).map(([name, member]) => ({
    loc: [...loc, name],
    schema: member,
    required: plain.required?.includes(name) ?? false,
  }));
}

function byParent(places: Place[]): Place[][] {
  return [...Map.groupBy(places, ({ loc }) => JSON.stringify(loc.slice(0, -1))).values()];
}

/** Builds inputs from the n-th value of every place. Places with fewer values keep the valid value. */
function rounds(places: Place[], valid: unknown): Probes<unknown> {
  const sorted = places.map((place) => ({ ...place, ...sortCandidates(place) }));
  const make = (kind: 'good' | 'bad') => {
    const count = Math.max(0, ...sorted.map((place) => place[kind].length));
    return Array.from({ length: count }, (_, round) => {
      const probed = sorted.filter((place) => round < place[kind].length);
      const filled = probed.map(({ loc, [kind]: values }) => ({ loc, value: values[round] }));
      return { places: filled, value: filled.reduce((body, { loc, value }) => put(body, loc, value), valid) };
    });
  };
  return { inside: make('good'), outside: make('bad') };
}

function sortCandidates({ schema, required }: Place): { good: unknown[]; bad: unknown[] } {
  const distinct = [...new Map(candidates(schema).map((value) => [JSON.stringify(value), value])).values()];
  const good = distinct.filter((value) => isValid(schema, value));
  const bad = distinct.filter((value) => !isValid(schema, value));
  return { good, bad: required ? [...bad, undefined] : bad };
}

/** Returns a copy with one place changed. The value `undefined` removes the member. */
function put(root: unknown, [key, ...rest]: Loc, value: unknown): unknown {
  if (key === undefined) return value;
  const copy: Record<string | number, unknown> = (
    typeof key === 'number' ? [...(Array.isArray(root) ? root : [])] : { ...(root as object) }
  ) as Record<string | number, unknown>;
  copy[key] = put(copy[key], rest, value);
  return copy;
}

function merge(all: Probes<unknown>[]): Probes<unknown> {
  return { inside: all.flatMap(({ inside }) => inside), outside: all.flatMap(({ outside }) => outside) };
}

/** Probes query parameters at their bounds. */
export function queryProbes(
  parameters: { name: string; schema: Schema }[],
): Probes<Record<string, string[]>> {
  const places = parameters.map(({ name, schema }) => {
    const texts = candidates(pickElement(schema)).filter(
      (value) => value !== null && typeof value !== 'object',
    );
    const read = (value: unknown) => isValid(pickElement(schema), asRead(pickElement(schema), String(value)));
    return {
      name,
      good: texts.filter(read).map(String),
      bad: texts.filter((value) => !read(value)).map(String),
    };
  });
  const make = (kind: 'good' | 'bad') =>
    Array.from({ length: Math.max(0, ...places.map((place) => place[kind].length)) }, (_, round) => {
      const probed = places.filter((place) => round < place[kind].length);
      return {
        value: Object.fromEntries(probed.map((place) => [place.name, [place[kind][round]!]])),
        places: probed.map((place) => ({ loc: [place.name], value: place[kind][round] })),
      };
    });
  return { inside: make('good'), outside: make('bad') };
}

function pickElement(schema: Schema): Schema {
  const plain = withoutNull(schema);
  return plain.type === 'array' ? withoutNull(plain.items ?? {}) : plain;
}

/** Parses a query value as a number or boolean if the schema requires one. */
function asRead(schema: Schema, text: string): unknown {
  if ((schema.type === 'integer' || schema.type === 'number') && /^-?\d+(\.\d+)?$/.test(text))
    return Number(text);
  if (schema.type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}
