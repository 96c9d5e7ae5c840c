import { describe, expect, it } from 'vitest';
import { answerSchema } from '#src/extraction/model/answer-schema.ts';
import { chunkPages } from '#src/extraction/model/page-chunks.ts';
import { itemPartsOf, partsOf } from '#src/extraction/model/schema-parts.ts';
import { validate } from '#src/extraction/validate.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { strictFaults } from '#test/support/strict-schema.ts';

describe('parting a schema', () => {
  const leaf = (n: number): JsonSchema => ({ type: 'string', description: `field ${n} `.repeat(8) });
  const leaves = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, leaf(n)]));

  it('leaves a small one whole', () => {
    const schema = { type: 'object', properties: leaves(3) };
    expect(partsOf(schema)).toEqual([schema]);
  });

  it('parts properties and large objects within them, and loses none', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['f1', 'inner'],
      properties: { ...leaves(20), inner: { type: 'object', properties: leaves(60), required: ['f59'] } },
    };
    const parts = partsOf(schema, 2_000);
    expect(parts.length).toBeGreaterThan(3);
    const names = parts.flatMap((part) => Object.keys(part.properties!));
    for (let n = 0; n < 20; n += 1) expect(names.filter((name) => name === `f${n}`)).toHaveLength(1);
    const inner = parts.flatMap((part) => Object.keys(part.properties!.inner?.properties ?? {}));
    expect(inner.toSorted()).toEqual(Object.keys(leaves(60)).toSorted());
    for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(3_000);
  });
});

describe('parting the items of lists', () => {
  const leaf: JsonSchema = { type: 'string', description: 'something rather long to say '.repeat(4) };
  const leaves = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}_${n}`, leaf]));
  const list = (properties: Record<string, JsonSchema>): JsonSchema => ({
    type: 'array',
    items: { type: 'object', properties },
  });

  /** Paths of all leaves, `*` for the items of a list. */
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

  it('goes to any depth, repeats what tells items apart, and loses nothing', () => {
    const parts = partsOf(nested, 2_500);
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

  it('does the same for the rows of tables', () => {
    const row: JsonSchema = { type: 'object', properties: { code: { type: 'string' }, ...leaves('f', 40) } };
    const parts = itemPartsOf(row, 2_000);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(Object.keys(part.properties!)[0]).toBe('code');
    expect(itemPartsOf(row)).toEqual([row]);
  });

  it('follows references, and each part brings what it refers to along', () => {
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
    const parts = partsOf(schema, 2_000);
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

  it('refuses a schema whose references unfold without end in sight', () => {
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
    expect(() => partsOf(schema, 400)).toThrow(/schema_validation: .*questions/);
  });
});

describe('the schema of a model’s answer', () => {
  it('lets every scalar be null and follows references, in $defs and into the caller’s schema', () => {
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
    const answer = answerSchema(schema).schema as JsonSchema;
    const nothing = { total: null, kind: null, party: null, other: null };
    const fits = (value: object) =>
      validate(answer, { values: [{ ...nothing, ...value }], sources: [] }).length === 0;
    expect(fits({ party: { name: null }, other: 3 })).toBe(true);
    expect(fits({ other: 'text' })).toBe(false);
    expect(fits({ party: { name: 7 } })).toBe(false);
    expect(fits({ kind: 'c' })).toBe(false);
  });

  it('is in the subset that strict structured outputs allow', () => {
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
    const { schema: answer, isStrict } = answerSchema(schema);
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
  ])('is no strict one where an object is %s', (_, open) => {
    const { schema, isStrict } = answerSchema({ type: 'object', properties: { open } });
    expect(isStrict).toBe(false);
    const value = { open: { xa: null } };
    const given = open.properties ? { open: { a: null, xa: 1 } } : value;
    expect(validate(schema as JsonSchema, { values: [given], sources: [] })).toEqual([]);
  });
});

describe('chunks of a document', () => {
  const page = (index: number, text: string) => ({ index, text, markdown: '' }) as never;

  it('hold as many pages as fit', () => {
    const pages = [page(0, 'x'.repeat(40)), page(1, 'x'.repeat(40)), page(2, 'x'.repeat(40))];
    const chunks = chunkPages(pages, 100);
    expect(chunks.map((chunk) => chunk.map((part) => part.page.index))).toEqual([[0, 1], [2]]);
  });

  it('cut a page that is too long between its lines, and lose nothing', () => {
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
