import { describe, expect, it } from 'vitest';
import { buildAnswerSchema } from '#src/extraction/model/answer-schema.ts';
import { chunkPages } from '#src/extraction/model/page-chunks.ts';
import { splitItemSchema, splitSchema } from '#src/extraction/model/schema-parts.ts';
import { validate } from '#src/extraction/validate.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { strictFaults } from '#test/support/strict-schema.ts';

describe('splitSchema', () => {
  const leaf = (n: number): JsonSchema => ({ type: 'string', description: `field ${n} `.repeat(8) });
  const leaves = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, leaf(n)]));

  it('does not split a small schema', () => {
    const schema = { type: 'object', properties: leaves(3) };
    expect(splitSchema(schema)).toEqual([schema]);
  });

  it('splits properties and large nested objects without losing any', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['f1', 'inner'],
      properties: { ...leaves(20), inner: { type: 'object', properties: leaves(60), required: ['f59'] } },
    };
    const parts = splitSchema(schema, 2_000);
    expect(parts.length).toBeGreaterThan(3);
    const names = parts.flatMap((part) => Object.keys(part.properties!));
    for (let n = 0; n < 20; n += 1) expect(names.filter((name) => name === `f${n}`)).toHaveLength(1);
    const inner = parts.flatMap((part) => Object.keys(part.properties!.inner?.properties ?? {}));
    expect(inner.toSorted()).toEqual(Object.keys(leaves(60)).toSorted());
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(3_000);
  });
});

describe('splitSchema for list items', () => {
  const leaf: JsonSchema = { type: 'string', description: 'something rather long to say '.repeat(4) };
  const leaves = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}_${n}`, leaf]));
  const list = (properties: Record<string, JsonSchema>): JsonSchema => ({
    type: 'array',
    items: { type: 'object', properties },
  });

  /** Returns the paths of all leaves, with `*` for list items. */
  function paths(schema: JsonSchema, at = ''): string[] {
    if (schema.properties)
      return Object.entries(schema.properties).flatMap(([name, own]) => paths(own, `${at}/${name}`));
    return schema.items ? paths(schema.items, `${at}/*`) : [at];
  }

  const nested: JsonSchema = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      orders: list({
        order_number: { type: 'string' },
        note: { type: 'string' },
        ...leaves('head', 20),
        carrier: { type: 'object', properties: leaves('carrier', 30) },
        lines: list({ sku: { type: 'string' }, ...leaves('line', 60) }),
      }),
    },
  };

  it('splits at any depth, repeats identifying fields and loses no field', () => {
    const parts = splitSchema(nested, 2_500);
    expect(parts.length).toBeGreaterThan(6);
    const found = parts.flatMap((part) => paths(part));
    expect(new Set(found)).toEqual(new Set(paths(nested)));
    const keys = new Set(['/orders/*/order_number', '/orders/*/lines/*/sku']);
    const others = found.filter((path) => !keys.has(path));
    expect(others).toHaveLength(new Set(others).size);
    for (const part of parts) {
      const own = paths(part);
      expect(JSON.stringify(part).length).toBeLessThan(4_000);
      if (own.some((path) => path.startsWith('/orders'))) expect(own).toContain('/orders/*/order_number');
      if (own.some((path) => path.includes('/lines/'))) expect(own).toContain('/orders/*/lines/*/sku');
    }
  });

  it('splits table rows and repeats the first field', () => {
    const row: JsonSchema = { type: 'object', properties: { code: { type: 'string' }, ...leaves('f', 40) } };
    const parts = splitItemSchema(row, 2_000);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(Object.keys(part.properties!)[0]).toBe('code');
    expect(splitItemSchema(row)).toEqual([row]);
  });

  it('resolves references and includes the definitions that each part needs', () => {
    const schema = validateSchema({
      type: 'object',
      properties: {
        currency: { type: 'string', enum: ['EUR', 'USD'] },
        parties: { type: 'array', items: { $ref: '#/$defs/party' } },
        other: { $ref: '#/properties/currency' },
      },
      $defs: {
        party: {
          type: 'object',
          properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        },
        address: { type: 'object', properties: leaves('line', 40) },
      },
    });
    const parts = splitSchema(schema, 2_000);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(validateSchema(part)).toBeTruthy();
    const other = parts.find((part) => part.properties!.other)!;
    expect(validate(other, { other: 'EUR' })).toEqual([]);
    expect(validate(other, { other: 'a poem' })).not.toEqual([]);
    const lines = parts.flatMap((part) => {
      const party = part.properties!.parties?.items?.properties;
      return Object.keys(party?.address?.properties ?? {});
    });
    expect(lines.toSorted()).toEqual(Object.keys(leaves('line', 40)).toSorted());
  });

  it('rejects a schema whose references expand into too many model calls', () => {
    const levels = Object.fromEntries(
      Array.from({ length: 6 }, (_, level) => {
        const next = level < 5 ? { $ref: `#/$defs/l${level + 1}` } : leaf;
        const names = Array.from({ length: 8 }, (_, n) => [`p${n}`, next]);
        return [`l${level}`, { type: 'object', properties: Object.fromEntries(names) }];
      }),
    );
    const schema = {
      type: 'object',
      properties: { top: { $ref: '#/$defs/l0' } },
      $defs: levels,
    } as JsonSchema;
    expect(() => splitSchema(schema, 400)).toThrow(/schema_validation: .*model calls/);
  });
});

describe('buildAnswerSchema', () => {
  it('makes every scalar nullable and follows references in $defs and in the schema of the caller', () => {
    const schema = validateSchema({
      type: 'object',
      properties: {
        total: { type: 'number' },
        kind: { type: 'string', enum: ['a', 'b'] },
        party: { $ref: '#/$defs/party' },
        other: { $ref: '#/properties/total' },
      },
      $defs: { party: { type: 'object', properties: { name: { type: 'string' } } } },
    });
    const answer = buildAnswerSchema(schema).schema as JsonSchema;
    const nothing = { total: null, kind: null, party: null, other: null };
    const fits = (value: object) =>
      validate(answer, { values: [{ ...nothing, ...value }], sources: [] }).length === 0;
    expect(fits({ party: { name: null }, other: 3 })).toBe(true);
    expect(fits({ other: 'text' })).toBe(false);
    expect(fits({ party: { name: 7 } })).toBe(false);
    expect(fits({ kind: 'c' })).toBe(false);
  });

  it('stays within the subset of strict structured outputs', () => {
    const schema = validateSchema({
      type: 'object',
      required: ['lines', 'kind'],
      properties: {
        kind: { enum: ['a', 1] },
        version: { const: 'v1' },
        anything: {},
        code: { type: 'string', pattern: '^A', description: 'The code.' },
        size: { type: ['string', 'number'] },
        lines: {
          type: 'array',
          minItems: 2,
          uniqueItems: true,
          items: {
            type: 'object',
            properties: { price: { $ref: '#/properties/code', description: 'Price.' } },
          },
        },
        party: { anyOf: [{ $ref: '#/$defs/party' }, { type: 'null' }] },
        other: { allOf: [{ $ref: '#/$defs/party' }], description: 'Who else.' },
        choice: { oneOf: [{ type: 'string' }, { $ref: '#/$defs/party' }] },
      },
      if: { properties: { kind: { const: 'a' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { required: ['code'] },
      $defs: { party: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    });
    const { schema: answer, isStrict } = buildAnswerSchema(schema);
    expect(isStrict).toBe(true);
    expect(strictFaults(answer)).toEqual([]);
    expect(JSON.stringify(answer)).toContain('The code. {\\"pattern\\":\\"^A\\"}');
    const nothing = {
      kind: null,
      version: null,
      anything: null,
      code: null,
      size: null,
      lines: [],
      party: null,
    };
    const values = [{ ...nothing, other: null, choice: null }];
    expect(validate(answer as JsonSchema, { values, sources: [] })).toEqual([]);
  });

  it.each<[string, JsonSchema]>([
    ['free-form', { type: 'object' }],
    ['open', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }],
    ['of patterns', { type: 'object', patternProperties: { '^x': { type: 'number' } } }],
  ])('is not strict if an object is %s', (_, open) => {
    const { schema, isStrict } = buildAnswerSchema({ type: 'object', properties: { open } });
    expect(isStrict).toBe(false);
    const value = { open: { xa: null } };
    const given = open.properties ? { open: { a: null, xa: 1 } } : value;
    expect(validate(schema as JsonSchema, { values: [given], sources: [] })).toEqual([]);
  });
});

describe('chunkPages', () => {
  const page = (index: number, text: string) => ({ index, text, markdown: '' }) as never;

  it('puts as many pages into a chunk as fit', () => {
    const pages = [page(0, 'x'.repeat(40)), page(1, 'x'.repeat(40)), page(2, 'x'.repeat(40))];
    const chunks = chunkPages(pages, 100);
    expect(chunks.map((chunk) => chunk.map((part) => part.page.index))).toEqual([[0, 1], [2]]);
  });

  it('splits a long page between lines without losing text', () => {
    const text = Array.from({ length: 40 }, (_, n) => `line ${n} of the page`).join('\n');
    const chunks = chunkPages([page(0, text), page(1, 'y'.repeat(250)), page(2, 'z')], 100);
    const parts = chunks.flat();
    expect(parts.map((part) => part.text).join('')).toBe(`${text}${'y'.repeat(250)}z`);
    for (const chunk of chunks) {
      expect(chunk.reduce((sum, part) => sum + part.text.length, 0)).toBeLessThanOrEqual(100);
    }
    for (const part of parts.filter(({ page: { index } }) => index === 0).slice(1)) {
      expect(part.text).toMatch(/^line \d+/);
    }
  });
});
