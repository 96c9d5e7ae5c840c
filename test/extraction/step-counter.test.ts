import { describe, expect, it } from 'vitest';
import { repair } from '#src/extraction/repair.ts';
import { validate } from '#src/extraction/validate.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';

const object = (properties: object, more: object = {}): JsonSchema =>
  ({ type: 'object', properties, ...more }) as JsonSchema;
const many = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at));
const list = (items: object, more: object = {}) => object({ rows: { type: 'array', items, ...more } });

describe('step limit for validating an answer', () => {
  it('stops when rows multiply with alternatives', () => {
    const schema = list({ anyOf: many(2_000, (at) => ({ const: at })) });
    const value = { rows: many(20_000, (at) => `x${at}`) };
    expect(() => repair(schema, value)).toThrow(BadRequest);
    expect(() => validate(schema, value)).toThrow(/schema_validation/);
    expect(repair(schema, { rows: [3, 'x'] }).value).toEqual({ rows: [3] });
  });

  it('stops when values multiply with large patterns', () => {
    const fields = Object.fromEntries(
      many(500, (at) => [`f${at}`, { type: 'string', pattern: '(a?){500}b$' }]),
    );
    const value = Object.fromEntries(many(500, (at) => [`f${at}`, 'a'.repeat(4_000)]));
    expect(() => repair(object(fields), value)).toThrow(BadRequest);
  });

  it('stops for a long list that must contain duplicates', () => {
    const schema = object({ rows: { type: 'array', items: {}, allOf: [{ not: { uniqueItems: true } }] } });
    expect(() => validate(schema, { rows: many(20_000, () => 1) })).toThrow(BadRequest);
  });

  it('accepts a long table and a long list of unique items', () => {
    const row = object(Object.fromEntries(many(10, (at) => [`f${at}`, { type: ['string', 'null'] }])));
    const rows = many(3_000, (at) => Object.fromEntries(many(10, (field) => [`f${field}`, `v${at}`])));
    expect(repair(list(row, { uniqueItems: true }), { rows }).value).toEqual({ rows });
  });

  it('restarts with each answer', () => {
    const schema = list({ anyOf: many(500, (at) => ({ const: at })) });
    const value = { rows: many(1_000, (at) => `x${at}`) };
    for (let time = 0; time < 4; time += 1) expect(repair(schema, value).value).toEqual({ rows: [] });
  });

  it('detects duplicates wherever a schema forbids them', () => {
    const unique = object({
      a: { type: 'array', items: {}, uniqueItems: true },
      b: { type: 'array', items: {} },
    });
    expect(validate(unique, { a: [1, 2], b: [1, 1] })).toEqual([]);
    expect(validate(unique, { a: [1, 1], b: [1, 2] })).not.toEqual([]);
    expect(validate(object({ a: { not: { uniqueItems: true } } }), { a: [1, 2] })).not.toEqual([]);
  });

  it('applies patternProperties to every member name', () => {
    const schema = object(
      {},
      { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
    );
    expect(validate(schema, { xa: 1 })).toEqual([]);
    expect(validate(schema, { xb: 'b' })).not.toEqual([]);
    expect(repair(schema, { xc: '3', xd: { xe: 1 } }).value).toEqual({ xc: 3 });
  });
});
