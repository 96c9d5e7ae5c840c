import { describe, expect, it } from 'vitest';
import { buildAnswerSchema } from '#src/extraction/model/answer-schema.ts';
import { SCHEMA_BUDGET } from '#src/json-schema/budget.ts';
import { checkSchema } from '#src/json-schema/rules.ts';
import { type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { DOUBLINGS, doublingSchema } from '#test/support/large-schemas.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const fields = (count: number, make: (at: number) => unknown) =>
  Object.fromEntries(many(count, (at) => [`f${at}`, make(at)]));

function rules(schema: unknown): string[] {
  const check = checkSchema(schema);
  return check.ok ? [] : check.issues.map(({ type }) => type);
}

function nested(depth: number, wrap: (inner: object) => object): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return object({ a: schema });
}

describe('schema budget', () => {
  it.each(Object.entries(DOUBLINGS))(
    'rejects a schema that %s doubles many times and accepts a few levels',
    (_, double) => {
      expect(rules(doublingSchema(double, 30))).not.toEqual([]);
      expect(rules(doublingSchema(double, 5))).toEqual([]);
    },
  );

  it('limits properties that double within the allowed levels', () => {
    const wide = (inner: object) => object(fields(8, () => ({ ...inner })));
    expect(rules(doublingSchema(wide, 6))).toEqual(['schema_too_large']);
    expect(rules(doublingSchema(wide, 4))).toEqual([]);
  });

  it('limits repeated properties, enums and keywords', () => {
    const around = object(
      fields(1_000, () => ({})),
      { anyOf: many(1_000, () => ({})) },
    );
    expect(rules(around)).toEqual(['schema_too_large']);
    const used = (inner: object) =>
      object(
        fields(1_000, () => ({ allOf: [{ $ref: '#/$defs/e' }] })),
        { $defs: { e: inner } },
      );
    expect(rules(used({ enum: many(9_000, (at) => at) }))).toEqual(['schema_too_large']);
    expect(rules(used(fields(2_000, () => 1)))).toEqual(['schema_too_large']);
    expect(rules(used({ enum: ['EUR', 'USD', 'GBP'] }))).toEqual([]);
  });

  it('allows the maximum number of nullable fields', () => {
    const text = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    expect(rules(object(fields(2_000, () => text)))).toEqual([]);
    expect(rules(object(fields(4_000, () => ({ type: ['string', 'null'] }))))).toEqual([]);
  });

  it('limits the nesting of schemas', () => {
    expect(rules(nested(SCHEMA_BUDGET.depth - 2, (not) => ({ not })))).toEqual([]);
    expect(rules(nested(SCHEMA_BUDGET.depth - 1, (not) => ({ not })))).toEqual(['schema_too_deep']);
    const chain = many(3_000, (at) => [`d${at}`, { anyOf: [{ $ref: `#/$defs/d${at + 1}` }] }] as const);
    const $defs = Object.fromEntries([...chain, ['d3000', {}]]);
    expect(rules(object({ a: { $ref: '#/$defs/d0' } }, { $defs }))).toEqual(['schema_too_deep']);
  });

  it('limits the nesting of JSON values in a schema', () => {
    const deep = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
    expect(rules(object({ a: { examples: deep } }))).toEqual(['schema_too_deep']);
  });

  it('limits number and size of patterns', () => {
    const patterns = (count: number) => fields(count, (at) => ({ type: 'string', pattern: `^${at}$` }));
    expect(rules(object(patterns(200)))).toEqual([]);
    expect(rules(object(patterns(201)))).toEqual(['too_many_patterns']);
    const large = fields(100, (at) => ({ type: 'string', pattern: `^${at}a{1,900}$` }));
    expect(rules(object(large))).toEqual(['pattern']);
    const ofNames = Object.fromEntries(many(150, (at) => [`^${at}`, {}]));
    const twice = { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/a' } };
    const $defs = { a: { patternProperties: ofNames } };
    expect(rules(object({ a: { $ref: '#/$defs/a' } }, { $defs }))).toEqual([]);
    expect(rules(object(twice, { $defs }))).toEqual(['too_many_patterns']);
  });

  it.each([
    ['lists of itself', { type: 'array', items: { $ref: '#/$defs/a' } }],
    ['a first item like itself', { prefixItems: [{ $ref: '#/$defs/a' }] }],
    ['further properties like itself', { additionalProperties: { $ref: '#/$defs/a' } }],
    ['properties of some names like itself', { patternProperties: { '^a': { $ref: '#/$defs/a' } } }],
    ['a condition like itself', { if: { $ref: '#/$defs/a' } }],
  ])('rejects a schema with %s', (_, a) => {
    const found = rules(object({ a: { $ref: '#/$defs/a' } }, { $defs: { a } }));
    expect(['ref_cycle', 'schema_too_deep']).toContain(found[0]);
  });

  it('reports at most 50 problems', () => {
    const required = many(5_000, (at) => `missing ${at}`);
    expect(rules(object({ a: {} }, { required }))).toHaveLength(50);
  });
});

describe('resolve', () => {
  /**
   * Returns a chain of definitions, each with two references to the next, and counts how often they are read.
   */
  function countedChain(levels: number) {
    let reads = 0;
    const root = doublingSchema((inner) => {
      const part = { allOf: [inner, { ...inner }] };
      return {
        get allOf() {
          reads += 1;
          return part.allOf;
        },
      };
    }, levels) as JsonSchema;
    return { root, reads: () => reads };
  }

  it('reads a shared definition a bounded number of times', () => {
    const readsAt = (levels: number) => {
      const { root, reads } = countedChain(levels);
      resolve(root, root.properties!.x!);
      return reads();
    };
    expect(readsAt(20)).toBeLessThan(readsAt(10) * 3);
  });

  it('lists a property once if several parts require it', () => {
    const leaf = object({ a: {} }, { required: ['a'] });
    const root = doublingSchema(DOUBLINGS.allOf!, 8, leaf) as JsonSchema;
    expect(resolve(root, root.properties!.x!).schema.required).toEqual(['a']);
  });

  it('prefers the schema to its parts, and earlier parts to later ones', () => {
    const root = object({
      a: {
        title: 'own',
        allOf: [
          { title: 'first', description: 'first', properties: { p: { title: 'first' }, q: {} } },
          {
            title: 'second',
            description: 'second',
            format: 'date',
            properties: { p: { title: 'second' }, r: {} },
          },
        ],
      },
    }) as JsonSchema;
    const { schema } = resolve(root, root.properties!.a!);
    expect(schema).toMatchObject({ title: 'own', description: 'first', format: 'date' });
    expect(schema.properties).toEqual({ r: {}, p: { title: 'first' }, q: {} });
  });

  it('answer schema for a model grows in proportion to the schema', () => {
    const sizeAt = (levels: number) => {
      const check = checkSchema(doublingSchema(DOUBLINGS.anyOf!, levels));
      return check.ok ? JSON.stringify(buildAnswerSchema(check.schema).schema).length : Number.NaN;
    };
    expect(sizeAt(8)).toBeLessThan(sizeAt(4) * 3);
  });
});
