import { describe, expect, it } from 'vitest';
import { checkSchema, validateSchema } from '#src/json-schema/rules.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { Invalid } from '#src/lib/errors.ts';

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});

function rules(schema: unknown): [string, string][] {
  const check = checkSchema(schema);
  return check.ok ? [] : check.issues.map((issue) => [issue.loc.join('.'), issue.type]);
}

function nested(levels: number): JsonSchema {
  let schema: JsonSchema = object({ leaf: { type: 'string' } }) as JsonSchema;
  for (let level = 1; level < levels; level++) schema = object({ inner: schema }) as JsonSchema;
  return schema;
}

describe('checkSchema', () => {
  it('accepts nested objects, arrays, enums, formats, nullable fields and local references', () => {
    const schema = object(
      {
        date: { type: 'string', format: 'date', default: null },
        status: { enum: ['open', 'paid'] },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        lines: { type: 'array', items: { $ref: '#/$defs/line' } },
      },
      { $defs: { line: object({ amount: { type: ['number', 'null'] } }) }, required: ['date', 'date'] },
    );
    const check = checkSchema(schema);
    expect(check.ok && check.schema.required).toEqual(['date']);
  });

  it.each<[string, unknown, [string, string]]>([
    ['not an object', 'text', ['', 'dict_type']],
    ['root without properties', { type: 'object' }, ['properties', 'root_properties']],
    ['root of another type', { type: 'array', properties: { a: {} } }, ['type', 'root_type']],
    [
      'a default',
      object({ a: { type: 'string', default: 'x' } }),
      ['properties.a.default', 'default_unsupported'],
    ],
    ['an unknown type', object({ a: { type: 'text' } }), ['properties.a.type', 'type']],
    ['an array without items', object({ a: { type: 'array' } }), ['properties.a.items', 'items_missing']],
    [
      'a remote reference',
      object({ a: { $ref: 'https://example.test/a' } }),
      ['properties.a.$ref', 'ref_not_local'],
    ],
    ['a dangling reference', object({ a: { $ref: '#/$defs/b' } }), ['properties.a.$ref', 'ref_not_found']],
    ['an unknown required name', object({ a: {} }, { required: ['b'] }), ['required.0', 'required_unknown']],
    ['an empty enum', object({ a: { enum: [] } }), ['properties.a.enum', 'enum']],
    [
      'a broken pattern',
      object({ a: { type: 'string', pattern: '(' } }),
      ['properties.a.pattern', 'pattern'],
    ],
    [
      'a pattern that looks around',
      object({ a: { type: 'string', pattern: '(?=x)' } }),
      ['properties.a.pattern', 'pattern'],
    ],
    ['a property that is no schema', object({ a: 5 }), ['properties.a', 'schema_type']],
    ['no type at all', object({ a: { type: [] } }), ['properties.a.type', 'type']],
    ['a limit that is none', object({ a: { minimum: 'x' } }), ['properties.a.minimum', 'keyword_value']],
    ['half a count', object({ a: { minLength: 1.5 } }), ['properties.a.minLength', 'keyword_value']],
    [
      'a pattern of names that is broken',
      { ...object({ a: {} }), patternProperties: { '(': {} } },
      ['patternProperties.(', 'pattern'],
    ],
    [
      'patterns that are no object',
      { ...object({ a: {} }), patternProperties: 5 },
      ['patternProperties', 'keyword_value'],
    ],
    ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties'].map(
      (keyword): [string, unknown, [string, string]] => [
        `a dangling reference in ${keyword}`,
        object({ a: { [keyword]: { $ref: '#/$defs/missing' } } }),
        [`properties.a.${keyword}.$ref`, 'ref_not_found'],
      ],
    ),
  ])('rejects %s with path and rule', (_, schema, expected) => {
    expect(rules(schema)).toContainEqual(expected);
  });

  it('allows seven levels and rejects eight', () => {
    expect(rules(nested(7))).toEqual([]);
    expect(rules(nested(8)).map(([, rule]) => rule)).toEqual(['schema_too_deep']);
  });

  it('rejects recursive schemas', () => {
    const tree = object(
      { node: { $ref: '#/$defs/node' } },
      { $defs: { node: object({ child: { $ref: '#/$defs/node' } }) } },
    );
    expect(rules(tree).map(([, rule]) => rule)).toContain('schema_too_deep');
    const loop = object(
      { a: { $ref: '#/$defs/a' } },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    );
    expect(rules(loop)).toEqual([['properties.a.$ref', 'ref_cycle']]);
    const choice = object(
      { a: { $ref: '#/$defs/a' } },
      { $defs: { a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/a' }] } } },
    );
    expect(rules(choice)).toEqual([['properties.a.anyOf.1.$ref', 'ref_cycle']]);
  });

  it('allows conditions to require properties that the schema declares', () => {
    const condition = {
      if: { required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { required: ['b'] },
      else: false,
      not: { required: ['c'] },
    };
    expect(rules(object({ a: {}, b: {}, c: {} }, condition))).toEqual([]);
  });

  it('limits the number of properties and characters', () => {
    const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`f${index}`, {}]));
    expect(rules(object(many))).toEqual([['', 'too_many_properties']]);
    delete many.f0;
    expect(rules(object(many))).toEqual([]);
    expect(rules(object({ a: { enum: ['x'.repeat(120_001)] } }))).toEqual([['', 'schema_strings_too_long']]);
    const text = { type: 'string', title: 't'.repeat(10_000), description: 'd'.repeat(10_000) };
    expect(rules(object({ ['n'.repeat(500)]: text }))).toEqual([]);
    expect(rules(object({ ['n'.repeat(501)]: text }))).toEqual([
      [`properties.${'n'.repeat(40)}…`, 'property_name_too_long'],
    ]);
    for (const keyword of ['title', 'description'])
      expect(rules(object({ a: { type: 'string', [keyword]: 'x'.repeat(10_001) } }))).toEqual([
        [`properties.a.${keyword}`, 'string_too_long'],
      ]);
    expect(rules(object({ a: { examples: ['x'.repeat(150_000)] } }))).toEqual([['', 'schema_too_long']]);
  });
});

describe('validateSchema', () => {
  it('throws Invalid with the location in the request body', () => {
    expect(() => validateSchema({ type: 'object' })).toThrow(Invalid);
    try {
      validateSchema(object({ a: { default: 1 } }));
    } catch (error) {
      expect((error as Invalid).issues[0]?.loc).toEqual([
        'body',
        'data_schema',
        'properties',
        'a',
        'default',
      ]);
    }
  });
});
