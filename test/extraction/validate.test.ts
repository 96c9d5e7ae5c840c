import { format } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { repair } from '#src/extraction/repair.ts';
import { validate } from '#src/extraction/validate.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { PatternError } from '#src/lib/text/pattern.ts';

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const accepts = (schema: JsonSchema, value: unknown) => validate(schema, value).length === 0;

/** Pattern that blocks a backtracking engine for very long. */
const HOSTILE = '^(a+)+$';
const VICTIM = `${'a'.repeat(40)}!`;

describe('patterns', () => {
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['on a text', object({ a: { pattern: '^x' } }), { a: 'xy' }, { a: 'y' }],
    ['on what is no text', object({ a: { pattern: '^x' } }), { a: 5 }, { a: 'y' }],
    ['beside a format', object({ a: { pattern: '^2', format: 'date' } }), { a: '2026-01-02' }, { a: '2' }],
    ['that must not be found', object({ a: { not: { pattern: '^x' } } }), { a: 'y' }, { a: 'x' }],
    [
      'in alternatives',
      object({ a: { anyOf: [{ pattern: '^x' }, { pattern: '^y' }] } }),
      { a: 'y' },
      { a: 'z' },
    ],
    ['of names', object({}, { propertyNames: { pattern: '^x' } }), { xa: 1 }, { a: 1 }],
    [
      'behind a reference',
      object({ a: { $ref: '#/$defs/code' } }, { $defs: { code: { pattern: '^x' } } }),
      { a: 'x' },
      { a: 'y' },
    ],
    ['that is a property', object({ pattern: { type: 'string' } }), { pattern: '(' }, { pattern: 1 }],
    ['that is data', object({ a: { const: { pattern: '(' } } }), { a: { pattern: '(' } }, { a: {} }],
    [
      'of properties',
      object({ xa: { minimum: 2 } }, { patternProperties: { '^x': { type: 'number' } } }),
      { xa: 2, xb: 1, c: 'c' },
      { xb: 'b' },
    ],
    [
      'of properties beside their own rule',
      object({ xa: { minimum: 2 } }, { patternProperties: { '^x': { type: 'number' } } }),
      { xa: 3 },
      { xa: 1 },
    ],
    [
      'of properties where others are not welcome',
      object({}, { patternProperties: { '^x': true as unknown as JsonSchema }, additionalProperties: false }),
      { xa: 1 },
      { xa: 1, b: 1 },
    ],
    [
      'of properties in a part',
      object({}, { allOf: [{ patternProperties: { '^x': {} } }], unevaluatedProperties: false }),
      { xa: 1 },
      { b: 1 },
    ],
    [
      'of a property that all objects have',
      object({}, { patternProperties: { '^__': { type: 'number' } } }),
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"__proto__":"a"}'),
    ],
  ])('%s', (_, schema, good, bad) => {
    expect(accepts(schema, good)).toBe(true);
    expect(accepts(schema, bad)).toBe(false);
  });

  it('cannot block the thread, wherever they occur in a schema', () => {
    const inner = { $ref: '#/$defs/code' };
    const schema = object(
      { a: { type: ['string', 'null'], pattern: HOSTILE }, list: { type: 'array', items: inner } },
      { $defs: { code: { pattern: HOSTILE } }, patternProperties: { [HOSTILE]: { type: 'number' } } },
    );
    const value = { a: VICTIM, list: [VICTIM], [VICTIM]: 'text' };
    expect(validate(schema, value)).not.toEqual([]);
    expect(repair(schema, value).value).toEqual({ list: [] });
  });

  it('throw PatternError if the engine does not support them', () => {
    expect(() => validate(object({ a: { pattern: '(?=a)' } }), { a: 'a' })).toThrow(PatternError);
  });

  it('do not change the global format registry', () => {
    const before = Object.keys(format);
    validate(object({ a: { pattern: '^x' } }), { a: 'x' });
    expect(Object.keys(format)).toEqual(before);
  });
});

describe('formats', () => {
  it('finish on hostile texts', () => {
    const names = Object.keys(format).filter((name) => !name.startsWith('pattern:'));
    const hostile = [
      `http://${'a'.repeat(50)}`,
      `http://${'a-'.repeat(50)}`,
      `${'a.'.repeat(3000)}!`,
      `a:${'/'.repeat(3000)} `,
      `{${'a'.repeat(3000)}!`,
      `${'1:'.repeat(3000)}g`,
      `${'"\\'.repeat(3000)}@`,
      `/${'~0'.repeat(3000)}~`,
    ];
    for (const name of names) {
      for (const text of hostile)
        expect(typeof accepts(object({ a: { format: name } }), { a: text })).toBe('boolean');
    }
  });

  it('include URL, and ignore names of object methods', () => {
    const url = object({ a: { format: 'url' } });
    expect(accepts(url, { a: 'https://a.example/b?c' })).toBe(true);
    expect(accepts(url, { a: 'a.example' })).toBe(false);
    expect(accepts(object({ a: { format: 'hasOwnProperty' } }), { a: 'any' })).toBe(true);
  });
});
