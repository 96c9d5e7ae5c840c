import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { Normaliser, type Schema } from './server/schemas.ts';

const object = (properties: Schema, more: Schema = {}) => ({ type: 'object', properties, ...more });

const document = {
  components: {
    schemas: {
      Named: object({ name: { type: 'string' } }),
      Sized: { allOf: [{ $ref: '#/components/schemas/Named' }, object({ size: { type: 'number' } })] },
      Tree: object({ children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } }),
      Anything: { type: 'object' },
    },
  },
};
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns whether a value is valid for a schema of the test server. */
function takes(schema: Schema, value: unknown): boolean {
  const normaliser = new Normaliser(document, 'd');
  const ajv = new Ajv2019({ strict: false, logger: false });
  ajv.addSchema({ $id: 'd', components: normaliser.components() });
  return ajv.validate(normaliser.use(schema) as object, value);
}

describe('schema of an API description', () => {
  it.each<[string, Schema, unknown[], unknown[]]>([
    ['that is only nullable means null', { nullable: true }, [null], [1, 'a', {}]],
    ['that is nullable takes null too', { type: 'string', nullable: true }, ['a', null], [1]],
    [
      'with words and nullable takes null too',
      { type: 'string', enum: ['a'], nullable: true },
      ['a', null],
      ['b'],
    ],
    [
      'composed and nullable takes null too',
      { allOf: [ref('Named')], nullable: true },
      [{ name: 'a' }, null],
      [{ nam: 'a' }, 1],
    ],
    ['with exclusive limits as flags', { type: 'number', minimum: 0, exclusiveMinimum: true }, [1], [0]],
    ['of an object knows its members', object({ a: {} }), [{ a: 1 }, {}], [{ b: 1 }]],
    ['that says so takes others', object({ a: {} }, { additionalProperties: true }), [{ b: 1 }], []],
    ['without members takes any', { type: 'object' }, [{ b: 1 }], ['a']],
    [
      'of branches knows the members of all',
      ref('Sized'),
      [{ name: 'a', size: 1 }],
      [{ name: 'a', sise: 1 }],
    ],
    [
      'beside branches knows both',
      { ...object({ a: {} }), allOf: [ref('Named')] },
      [{ a: 1, name: 'a' }],
      [{ c: 1 }],
    ],
    [
      'inside itself knows its members',
      ref('Tree'),
      [{ children: [{ children: [] }] }],
      [{ children: [{ child: [] }] }],
    ],
    [
      'in a list knows its members',
      { type: 'array', items: ref('Named') },
      [[{ name: 'a' }]],
      [[{ nane: 'a' }]],
    ],
    [
      'in a map knows its members',
      { type: 'object', additionalProperties: ref('Named') },
      [{ x: { name: 'a' } }],
      [{ x: { nane: 'a' } }],
    ],
    [
      'with a branch for any object takes any object',
      { anyOf: [ref('Named'), ref('Anything')] },
      [{ name: 'a' }, { other: 1 }],
      ['a'],
    ],
    [
      'with a branch for text still knows its members',
      { oneOf: [{ type: 'string' }, ref('Named')] },
      ['a', { name: 'a' }],
      [{ nane: 'a' }],
    ],
  ])('%s', (_, schema, right, wrong) => {
    expect(right.filter((value) => !takes(schema, value))).toEqual([]);
    expect(wrong.filter((value) => takes(schema, value))).toEqual([]);
  });
});
