import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { toIssues } from '#src/lib/schema/zod-issues.ts';

function issues(schema: z.ZodType, value: unknown) {
  const result = schema.safeParse(value);
  if (result.success) throw new Error('the value is valid');
  return toIssues(result.error, ['body'], { value, schema });
}

const cases: [what: string, schema: z.ZodType, value: unknown, type: string, ctx?: object][] = [
  ['a text', z.string(), 5, 'string_type'],
  ['a number', z.number(), true, 'float_type'],
  ['a number from text', z.number(), 'x', 'float_parsing'],
  ['an infinite number', z.number(), Number.POSITIVE_INFINITY, 'finite_number'],
  ['an int', z.int(), true, 'int_type'],
  ['an int from text', z.int(), 'x', 'int_parsing'],
  ['an int from a fraction', z.number().int(), 1.5, 'int_from_float'],
  ['a coerced int', z.coerce.number().int(), 'x', 'int_parsing'],
  ['a boolean', z.boolean(), 1, 'bool_type'],
  ['a boolean from text', z.boolean(), 'maybe', 'bool_parsing'],
  ['a list', z.array(z.string()), {}, 'list_type'],
  ['an object', z.object({}), [], 'model_attributes_type'],
  ['a map', z.record(z.string(), z.string()), [], 'dict_type'],
  ['a UUID', z.uuid(), 'x', 'uuid_parsing'],
  ['a URL', z.url(), 'x', 'url_parsing'],
  ['a datetime', z.iso.datetime(), 'x', 'datetime_parsing'],
  ['an enumeration', z.enum(['a', 'b', 'c']), 'd', 'enum', { expected: "'a', 'b' or 'c'" }],
  ['a literal', z.literal(true), false, 'literal_error', { expected: 'true' }],
  ['a lower bound', z.number().min(1), 0, 'greater_than_equal', { ge: 1 }],
  ['an open lower bound', z.number().gt(0), 0, 'greater_than', { gt: 0 }],
  ['an upper bound', z.number().max(1), 2, 'less_than_equal', { le: 1 }],
  ['an open upper bound', z.number().lt(1), 1, 'less_than', { lt: 1 }],
  ['a short text', z.string().min(2), 'a', 'string_too_short', { min_length: 2 }],
  ['a long text', z.string().max(2), 'abc', 'string_too_long', { max_length: 2 }],
  [
    'a short list',
    z.array(z.int()).min(1),
    [],
    'too_short',
    { field_type: 'List', min_length: 1, actual_length: 0 },
  ],
  [
    'a long list',
    z.array(z.int()).max(1),
    [1, 2],
    'too_long',
    { field_type: 'List', max_length: 1, actual_length: 2 },
  ],
  ['a multiple', z.number().multipleOf(3), 4, 'multiple_of', { multiple_of: 3 }],
  ['a pattern', z.string().regex(/^a$/), 'b', 'string_pattern_mismatch', { pattern: '^a$' }],
  ['a rule', z.string().refine(() => false, 'no'), 'x', 'value_error', { error: 'no' }],
  [
    'a rule with a type',
    z.string().refine(() => false, { error: 'no', params: { type: 'own' } }),
    'x',
    'own',
  ],
];

describe('one wrong value', () => {
  it.each(cases)('%s', (_, schema, value, type, ctx) => {
    const [issue, ...others] = issues(schema, value);
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ loc: ['body'], type, msg: expect.any(String), ...(ctx && { ctx }) });
    expect(issue!.ctx).toEqual(ctx);
  });
});

it('names every missing member of any type', () => {
  const shape = z.object({
    a: z.string(),
    b: z.enum(['x', 'y']),
    c: z.literal(1),
    d: z.union([z.int(), z.string()]),
  });
  const found = issues(shape, {});
  expect(found.map(({ loc, type }) => [loc.at(-1), type])).toEqual(
    ['a', 'b', 'c', 'd'].map((name) => [name, 'missing']),
  );
});

it('reports each forbidden member', () => {
  expect(issues(z.strictObject({}), { a: 1, b: 2 }).map(({ loc, type }) => [loc, type])).toEqual([
    [['body', 'a'], 'extra_forbidden'],
    [['body', 'b'], 'extra_forbidden'],
  ]);
});

it('is created from the error alone', () => {
  const error = z.object({ a: z.string() }).safeParse({}).error!;
  expect(toIssues(error, ['query'])).toEqual([
    { loc: ['query', 'a'], type: 'missing', msg: 'Field required' },
  ]);
});

describe('unions', () => {
  const leaf = z.object({ key: z.string(), value: z.union([z.string(), z.number()]) });
  const filters = z.object({ filters: z.array(leaf) });
  const tagged = z.discriminatedUnion('type', [
    z.object({ type: z.literal('a'), x: z.string() }),
    z.object({ type: z.literal('b'), y: z.int() }),
  ]);

  it('reports the closest branch', () => {
    const value = { filters: [{ key: 1, value: 'v' }, { key: 2 }, {}] };
    expect(issues(z.union([leaf, filters]), value).map(({ loc, type }) => [loc.join('.'), type])).toEqual([
      ['body.filters.0.key', 'string_type'],
      ['body.filters.1.key', 'string_type'],
      ['body.filters.1.value', 'missing'],
      ['body.filters.2.key', 'missing'],
      ['body.filters.2.value', 'missing'],
    ]);
  });

  it('lists the tags of a union without a discriminator', () => {
    const modes = z.union([
      z.object({ mode: z.literal('auto'), size: z.int() }),
      z.object({ mode: z.literal('none'), extra: z.string() }),
    ]);
    expect(issues(modes, { mode: 'own' })).toMatchObject([
      { loc: ['body', 'mode'], type: 'enum', ctx: { expected: "'auto' or 'none'" } },
    ]);
    expect(issues(modes, { mode: 'auto' })).toMatchObject([{ loc: ['body', 'size'], type: 'missing' }]);
  });

  it('names all types if none fits', () => {
    expect(issues(z.union([z.string(), z.number(), z.array(z.string())]), true)).toEqual([
      {
        loc: ['body'],
        type: 'string_type',
        msg: 'Input should be a valid string or number or list',
        input: true,
      },
    ]);
  });

  it('lists the valid discriminators', () => {
    const [issue] = issues(tagged, { type: 'c' });
    expect(issue).toMatchObject({ loc: ['body', 'type'], type: 'enum', ctx: { expected: "'a' or 'b'" } });
    expect(issues(tagged, {})[0]).toMatchObject({ loc: ['body', 'type'], type: 'missing' });
  });

  it('reports the branch that the discriminator names', () => {
    expect(issues(tagged, { type: 'b', y: 'z' })).toMatchObject([
      { loc: ['body', 'y'], type: 'int_parsing' },
    ]);
  });
});

describe('input of an issue', () => {
  it('is included if it is a plain value', () => {
    expect(issues(z.object({ size: z.int() }), { size: 'big' })[0]!.input).toBe('big');
  });

  it.each<[string, z.ZodType, unknown]>([
    ['a secret field', z.object({ code: secret().min(9).nullish() }), { code: 's3cret' }],
    ['a map of secrets', z.object({ headers: z.record(z.string(), secret()) }), { headers: { a: 4711 } }],
    ['a member named like a secret', z.object({ api_key: z.int() }), { api_key: 's3cret' }],
    ['an object', z.object({ a: z.string() }), { a: { password: 's3cret' } }],
    ['JSON in a text', z.object({ a: z.int() }), { a: '{"password":"s3cret"}' }],
    ['a URL with a password', z.object({ a: z.int() }), { a: 'https://u:s3cret@h.example/' }],
    ['a long text', z.object({ a: z.int() }), { a: 's3cret'.repeat(100) }],
  ])('is omitted for %s', (_, schema, value) => {
    const [issue] = issues(schema, value);
    expect(issue).toBeDefined();
    expect(JSON.stringify(issue)).not.toMatch(/s3cret|4711/);
  });
});

it('reports the first hundred of many problems and counts the others', () => {
  const found = issues(
    z.array(z.string()),
    Array.from({ length: 5_000 }, (_, at) => at),
  );
  expect(found).toHaveLength(101);
  expect(found[99]).toMatchObject({ loc: ['body', 99], type: 'string_type' });
  expect(found[100]).toEqual({ loc: ['body'], msg: 'and 4900 more problems', type: 'too_many_issues' });
});

it('reports every wrong field beside a list of hundreds of wrong items', () => {
  const schema = z.object({ list: z.array(z.enum(['a'])), last: z.number() });
  const value = { list: Array(300).fill('b'), last: 'x' };
  const found = toIssues(schema.safeParse(value).error!, ['body'], { value, schema });
  expect(found.map(({ loc }) => loc.join('.'))).toContain('body.last');
  expect(found.length).toBeLessThan(110);
});
