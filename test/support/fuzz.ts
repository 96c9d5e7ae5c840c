import fc from 'fast-check';
import { type Parameter, type Schema, withoutNull } from './openapi.ts';

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '..',
    '%00',
    '\u202e\u0301\ufeff',
    '😀'.repeat(20),
    '1e400',
    '-0',
    "' or 1=1 --",
    '%',
    '_',
    '*'.repeat(200),
    'x'.repeat(70_000),
    '__proto__',
    'constructor',
    'null',
    '../../etc',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999+14:00',
    'http://[::1]/',
    '(a+)+$',
  ),
);

const hostileNumber = fc.constantFrom(
  0,
  -0,
  -1,
  1,
  0.5,
  1e308,
  -1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 2,
  2 ** 31,
  2 ** 63,
);

function nested(depth: number, kind: 'array' | 'object'): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = kind === 'array' ? [value] : { a: value };
  return value;
}

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  hostileNumber,
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    nested(3_000, 'array'),
    nested(3_000, 'object'),
    Array.from({ length: 2_000 }, () => null),
  ),
  fc.dictionary(hostileText, fc.constant('x'), { maxKeys: 4 }),
);

/** Generates values that mostly fit a schema, with occasional invalid values. */
export function schemaArbitrary(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 7, arbitrary: fitting(withoutNull(schema), depth) },
    { weight: 1, arbitrary: hostileValue },
  );
}

function fitting(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (depth > 4) return fc.constant(null);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum && schema.enum.length > 0) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants && variants.length > 0)
    return fc.oneof(...variants.map((variant) => schemaArbitrary(variant, depth + 1)));
  switch (schema.type) {
    case 'object':
      return fittingObject(schema, depth);
    case 'array':
      return fc.array(schemaArbitrary(schema.items ?? {}, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
      });
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: lowest(schema), max: highest(schema) }), hostileNumber);
    case 'number':
      return fc.oneof(fc.double({ min: lowest(schema), max: highest(schema), noNaN: true }), hostileNumber);
    case 'string':
      return fittingText(schema);
    default:
      return hostileValue;
  }
}

const lowest = (schema: Schema) => Math.ceil(schema.minimum ?? schema.exclusiveMinimum ?? -1000);
const highest = (schema: Schema) => Math.max(lowest(schema), Math.floor(schema.maximum ?? 100_000));

function fittingObject(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return fc.dictionary(hostileText, hostileValue, { maxKeys: 3 });
  const required = schema.required ?? [];
  const optional = members.map(([name]) => name).filter((name) => !required.includes(name));
  return fc.subarray(optional, { maxLength: Math.min(8, optional.length) }).chain((chosen) => {
    const wanted = members.filter(([name]) => required.includes(name) || chosen.includes(name));
    return fc.record(
      Object.fromEntries(wanted.map(([name, member]) => [name, schemaArbitrary(member, depth + 1)])),
    );
  });
}

function fittingText(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (schema.format === 'uri')
    return fc.constantFrom('http://10.1.1.1/', 'https://93.184.215.14/a', 'http://localhost', 'x:y');
  return fc.oneof(
    hostileText,
    fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(60, schema.maxLength ?? 60) }),
  );
}

/** Generates bodies that fit the schema, and valid bodies with one member replaced. */
export function bodyArbitrary(schema: Schema, valid: unknown): fc.Arbitrary<unknown> {
  const mutated = Object.keys((valid ?? {}) as object);
  if (mutated.length === 0) return schemaArbitrary(schema);
  const mutation = fc
    .tuple(fc.constantFrom(...mutated), hostileValue)
    .map(([name, value]) =>
      Array.isArray(valid) ? [value, ...valid] : { ...(valid as object), [name]: value },
    );
  return fc.oneof({ weight: 3, arbitrary: schemaArbitrary(schema) }, { weight: 2, arbitrary: mutation });
}

export function queryArbitrary(parameters: Parameter[]): fc.Arbitrary<Record<string, string>> {
  const texts = (schema: Schema) =>
    fc.oneof(
      hostileText,
      fitting(withoutNull(schema), 3).map((value) =>
        Array.isArray(value) ? String(value[0]) : String(value),
      ),
    );
  const own = parameters.map(({ name, schema }) => [name, texts(schema)] as const);
  return fc
    .tuple(
      fc.record(Object.fromEntries(own), { requiredKeys: [] }),
      fc.dictionary(hostileText, hostileText, { maxKeys: 1 }),
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }) as Record<string, string>)
    .map((query) => trimmed(query));
}

/** Shortens query values, because the length of URLs is limited. */
const trimmed = (query: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name.slice(0, 2_000), value.slice(0, 2_000)]),
  );

const DEEP = `${'{"a":['.repeat(20_000)}1${']}'.repeat(20_000)}`;

/** Returns JSON bodies with one member nested too deeply. */
export function nestedBodies(schema: Schema, valid: unknown): string[] {
  const element = Array.isArray(valid) ? (valid[0] as object) : ((valid ?? {}) as object);
  const plain = withoutNull(schema);
  const properties = (plain.type === 'array' ? plain.items?.properties : plain.properties) ?? {};
  const open = Object.entries(properties).filter(
    ([, member]) => !/^(string|integer|number|boolean)$/.test(String(withoutNull(member).type)),
  );
  const bodies = open.map(([name]) => {
    const text = JSON.stringify({ ...element, [name]: '@' }).replace(`"${name}":"@"`, `"${name}":${DEEP}`);
    return Array.isArray(valid) ? `[${text}]` : text;
  });
  return [...bodies, DEEP];
}
