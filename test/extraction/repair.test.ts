import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSourcePointer, repair } from '#src/extraction/repair.ts';
import { validate } from '#src/extraction/validate.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { runs } from '#test/support/seed.ts';

describe('repair', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      amount: { type: 'number' },
      count: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      day: { type: 'string', format: 'date' },
      state: { type: 'string', enum: ['OPEN', 'PAID_OUT'] },
      paid: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      owner: { $ref: '#/$defs/owner' },
    },
    required: ['amount', 'count', 'owner'],
    additionalProperties: false,
    $defs: { owner: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  };

  it('converts unambiguous values and keeps valid ones', () => {
    const { value, missing } = repair(schema, {
      amount: '1.163,40 EUR',
      count: '12',
      day: '14 March 2031',
      state: 'paid out',
      paid: 'yes',
      tags: 'red',
      owner: { name: 7 },
      extra: true,
    });
    expect(value).toEqual({
      amount: 1163.4,
      count: 12,
      day: '2031-03-14',
      state: 'PAID_OUT',
      paid: true,
      tags: ['red'],
      owner: { name: '7' },
    });
    expect(missing).toEqual([]);
    expect(validate(schema, value)).toEqual([]);
  });

  it('replaces invalid values with null, omits optional fields and reports required ones', () => {
    const { value, missing } = repair(schema, {
      amount: 'a lot',
      count: 'several',
      day: 'soon',
      state: 'lost',
      owner: {},
    });
    expect(value).toEqual({ amount: null, count: null, owner: { name: null } });
    expect(missing).toEqual(['/amount', '/owner/name']);
  });

  it('always returns a valid value', () => {
    const open: JsonSchema = { ...schema, required: [] };
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(schema.properties ?? {}), 'x'), fc.jsonValue()),
        (value) => {
          const repaired = repair(open, value);
          if (repaired.missing.length === 0) expect(validate(open, repaired.value)).toEqual([]);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
    type: 'object',
    properties,
    ...more,
  });
  const fixed = (of: JsonSchema, value: unknown) => {
    const repaired = repair(of, value);
    expect(repaired.missing).toEqual([]);
    expect(validate(of, repaired.value)).toEqual([]);
    return repaired.value;
  };

  it('follows references to any place in the schema', () => {
    const address = object({ city: { type: 'string' } });
    const ship = { anyOf: [object({ address: { $ref: '#/properties/address' } }), { type: 'string' }] };
    const value = { address: { city: 'A' }, ship: { address: { city: 'B' } } };
    expect(fixed(object({ address, ship } as Record<string, JsonSchema>), value)).toEqual(value);
    const b: JsonSchema = { type: 'string', maxLength: 3 };
    const a: JsonSchema = { type: 'string', allOf: [{ $ref: '#/properties/b' }] };
    expect(fixed(object({ a, b }), { a: 'abc', b: 'abcd' })).toEqual({ a: 'abc' });
  });

  const tags = (more: JsonSchema): JsonSchema => ({ type: 'array', items: { type: 'string' }, ...more });
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['uniqueItems', object({ t: tags({ uniqueItems: true }) }), { t: ['a', 'b', 'a'] }, { t: ['a', 'b'] }],
    ['minItems', object({ t: tags({ minItems: 2 }) }), { t: ['a'] }, {}],
    [
      'nullable minItems',
      object({ t: { type: ['array', 'null'], items: { type: 'string' }, minItems: 2 } }),
      { t: ['a'] },
      { t: null },
    ],
    ['contains', object({ t: tags({ contains: { const: 'x' } }) }), { t: ['a'] }, {}],
    ['minProperties', object({ o: object({ a: {}, b: {} }, { minProperties: 2 }) }), { o: { a: 'x' } }, {}],
    [
      'maxProperties',
      object({ o: object({ a: {}, b: {} }, { maxProperties: 1 }) }),
      { o: { a: 'x', b: 'y' } },
      { o: { a: 'x' } },
    ],
    [
      'dependentRequired',
      object({ a: { type: 'string' }, b: { type: 'string' } }, { dependentRequired: { a: ['b'] } }),
      { a: 'x' },
      {},
    ],
    [
      'if and then',
      object(
        { kind: { type: 'string' }, n: { type: 'number' } },
        {
          if: { properties: { kind: { const: 'k' } }, required: ['kind'] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
          then: { required: ['n'] },
        },
      ),
      { kind: 'k' },
      {},
    ],
    [
      'patternProperties',
      object({ a: { type: 'string' } }, { patternProperties: { '^x': { type: 'number' } } }),
      { a: 'b', xa: '12', xb: 'much', other: 1 },
      { a: 'b', xa: 12 },
    ],
    [
      'unevaluatedProperties',
      object({ a: { type: 'string' } }, { unevaluatedProperties: false }),
      { a: 'b', other: 1 },
      { a: 'b' },
    ],
    ['oneOf', object({ a: { oneOf: [{ type: 'number' }, { type: 'number', minimum: 5 }] } }), { a: 7 }, {}],
    [
      'a null that the enum forbids',
      object({ a: { type: ['string', 'null'], enum: ['x'] } }),
      { a: 'y' },
      {},
    ],
    ['minimum, at zero', object({ n: { type: 'number', minimum: 1 } }), { n: 0 }, {}],
  ])('enforces %s', (_, of, value, expected) => {
    expect(fixed(of, value)).toEqual(expected);
  });

  it('drops members that the schema does not allow', () => {
    const own = { a: { type: 'string' } };
    const value = { a: 'x', ceo: 'Ada', n: 5 };
    expect(fixed(object(own), value)).toEqual({ a: 'x' });
    expect(fixed(object(own, { additionalProperties: true }), value)).toEqual(value);
    expect(fixed(object(own, { additionalProperties: { type: 'number' } }), value)).toEqual({ a: 'x', n: 5 });
  });

  it('selects the alternative whose members match', () => {
    const company = object({ name: { type: 'string' }, vat: { type: 'string' } });
    const person = object({ name: { type: 'string' }, born: { type: 'string' } });
    const of = object({ who: { anyOf: [company, person] } });
    const value = { who: { name: null, born: '1815' } };
    expect(fixed(of, value)).toEqual({ who: { born: '1815' } });
  });

  it('does not guess ambiguous dates', () => {
    const of = object({ day: { type: 'string', format: 'date' } });
    const day = (text: string, dateOrder?: 'dmy' | 'mdy') =>
      (repair(of, { day: text }, { dateOrder }).value as { day?: string }).day;
    expect(day('03/04/2026')).toBeUndefined();
    expect(day('03/04/2026', 'dmy')).toBe('2026-04-03');
    expect(day('03/04/2026', 'mdy')).toBe('2026-03-04');
    expect(day('23/04/2026')).toBe('2026-04-23');
    expect(day('03.04.2026')).toBe('2026-04-03');
    expect(day('between 2026-01-02 and 2026-03-04')).toBeUndefined();
    expect(day('2026-01-02, that is 2 January 2026')).toBe('2026-01-02');
  });

  it('reports the source of each value and which values changed', () => {
    const of = object({ sums: { type: 'array', items: { type: 'number' } }, tags: tags({}) });
    const { value, changed, sources } = repair(of, { sums: ['none', 5, '6'], tags: 'red' });
    expect(value).toEqual({ sums: [5, 6], tags: ['red'] });
    expect([0, 1].map((index) => findSourcePointer({ sources }, ['sums', index]))).toEqual([
      '/sums/1',
      '/sums/2',
    ]);
    expect(findSourcePointer({ sources }, ['tags', 0])).toBe('/tags');
    expect(changed).toContain('/sums/2');
    expect(changed).not.toContain('/sums/1');
    expect(changed).not.toContain('/tags');
  });

  const rules = fc.record(
    {
      minItems: fc.nat(2),
      maxItems: fc.nat(3),
      uniqueItems: fc.boolean(),
      minProperties: fc.nat(2),
      maxProperties: fc.nat(2),
      additionalProperties: fc.constantFrom<JsonSchema | boolean>(true, false, { type: 'number' }),
      unevaluatedProperties: fc.boolean(),
      dependentRequired: fc.constant({ a: ['b'] }),
      patternProperties: fc.constant({ '^b': { maxLength: 3 } }),
      if: fc.constant({ required: ['b'] }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: fc.constant({ required: ['a'] }),
    },
    { requiredKeys: [] },
  );

  it('returns valid values for schemas with object-level rules', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const values = fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue())));
    fc.assert(
      fc.property(rules, values, (more, value) => {
        const leaf: JsonSchema = { type: ['string', 'null'] };
        const list = { ...tags({}), ...more };
        const inner = { ...object({ a: leaf, b: { type: 'number' }, c: list }), ...more };
        const of = object({ a: inner, b: list, c: { anyOf: [inner, list, { type: 'null' }] } });
        const repaired = repair(of, value);
        expect(repaired.missing).toEqual([]);
        expect(validate(of, repaired.value)).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([null, 'text', 5, []])('accepts %j instead of an object, which then has no value', (value) => {
    expect(repair(schema, value)).toMatchObject({ value: null, missing: [''] });
  });

  it('accepts members of the wrong shape, which then have no value', () => {
    const none = { amount: null, count: null, owner: null };
    const missing = ['/amount', '/owner'];
    expect(repair(schema, { owner: 'me', tags: { a: 1 } })).toMatchObject({
      value: { ...none, tags: [] },
      missing,
    });
    const { value } = repair(schema, { paid: { toString: '' } });
    expect(value).toEqual(none);
  });
});
