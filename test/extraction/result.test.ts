import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Page, Word } from '#src/documents/document.ts';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import { verifyCitations } from '#src/extraction/citations.ts';
import type { ExtractionTarget } from '#src/extraction/configuration.ts';
import type { FieldEvidence } from '#src/extraction/evidence.ts';
import { findSourcePointer, repair } from '#src/extraction/repair.ts';
import { buildResult, type FieldMetadataEntry, type ResultOptions } from '#src/extraction/result.ts';
import { validate } from '#src/extraction/validate.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { runs } from '#test/support/seed.ts';
import { BILL, printedPage, textPage } from './pages.ts';

describe('verifyCitations', () => {
  it('keeps citations that occur on the page, with boxes and page size', () => {
    expect(verifyCitations([BILL], [{ page: 1, matching_text: 'NW-2031/77' }])).toEqual([
      {
        page: 1,
        matching_text: 'NW-2031/77',
        bounding_boxes: [{ x: 460, y: 100, w: 50, h: 10 }],
        page_dimensions: { width: 595, height: 842 },
      },
    ]);
  });

  it('returns a box per line for wrapped text and finds values within words', () => {
    const boxes = (matching_text: string) =>
      verifyCitations([BILL], [{ page: 1, matching_text }])[0]?.bounding_boxes;
    expect(boxes('Greta Lind Quay Street 4')).toEqual([
      { x: 40, y: 164, w: 50, h: 10 },
      { x: 40, y: 178, w: 65, h: 10 },
    ]);
    expect(boxes('2031/77')).toEqual([{ x: 460, y: 100, w: 50, h: 10 }]);
  });

  it('drops citations that are absent, on another page or blank', () => {
    const candidates = [
      { page: 1, matching_text: 'NW-2031/78' },
      { page: 2, matching_text: 'NW-2031/77' },
      { page: 1, matching_text: '  ' },
    ];
    expect(verifyCitations([BILL], candidates)).toEqual([]);
  });

  it('finds the page if none is named, ignoring case and whitespace', () => {
    const pages = [textPage('first', [], 0), textPage('the Second\npage', [], 1)];
    expect(verifyCitations(pages, [{ matching_text: 'second PAGE' }])).toMatchObject([{ page: 2 }]);
  });
});

describe('verifyCitations at word and number boundaries', () => {
  it('rejects a fragment of a longer word or number', () => {
    const page = textPage('12 Harbour Road, 12.50 EUR, 1,800 EUR, Harbours, 10kg');
    const found = (matching_text: string) => verifyCitations([page], [{ matching_text }]).length > 0;
    for (const part of ['1', '2.5', '800', 'arbour', 'Harbour Roa', '50']) expect(found(part)).toBe(false);
    for (const whole of ['12', '12.50', '1,800', 'Harbour', '10', 'Road']) expect(found(whole)).toBe(true);
  });

  it('returns the box of the whole word rather than a word with the same beginning', () => {
    const page = printedPage([
      [40, 40, '12 Harbour Road'],
      [40, 60, 'Quantity 1'],
      [40, 80, 'NW-7'],
      [40, 100, 'Number 7'],
    ]);
    const box = (matching_text: string) =>
      verifyCitations([page], [{ matching_text }])[0]?.bounding_boxes?.[0];
    expect(box('1')).toEqual({ x: 85, y: 60, w: 5, h: 10 });
    expect(box('7')).toEqual({ x: 75, y: 100, w: 5, h: 10 });
  });

  it('ignores word boundaries in languages without spaces', () => {
    expect(verifyCitations([textPage('請求書番号は合計金額')], [{ matching_text: '合計' }])).toHaveLength(1);
  });

  it('removes Markdown syntax that the page text does not contain', () => {
    const page = textPage('Total\tGBP 1,800.60\nsee terms_of_use and the guide');
    const cited = (matching_text: string) =>
      verifyCitations([page], [{ matching_text }]).map((citation) => citation.matching_text);
    expect(cited('| **Total** | GBP 1,800.60 |')).toEqual(['Total GBP 1,800.60']);
    expect(cited('see terms_of_use')).toEqual(['see terms_of_use']);
    expect(cited('_see_ `terms_of_use` and the [guide](https://a.test)')).toEqual([
      'see terms_of_use and the guide',
    ]);
    expect(cited('**Subtotal**')).toEqual([]);
  });
});

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

  it('accepts values of the wrong shape without throwing', () => {
    for (const value of [null, 'text', 5, [], { owner: 'me', tags: { a: 1 } }, { paid: { toString: '' } }]) {
      expect(() => repair(schema, value)).not.toThrow();
    }
  });
});

describe('buildResult', () => {
  const extracted = (schema: JsonSchema, target: ExtractionTarget) =>
    extractNow(schema, [BILL], target).map((one) => checkEvidence([BILL], one));
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      invoice_number: { type: 'string' },
      grand_total: { type: 'number' },
      purchase_order: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      lines: {
        type: 'array',
        items: {
          type: 'object',
          properties: { description: { type: 'string' }, amount: { type: 'number' } },
        },
      },
    },
    required: ['purchase_order'],
  };
  const options: ResultOptions = {
    schema,
    target: 'per_doc',
    citeSources: true,
    confidenceScores: true,
  };

  it('mirrors the result with verified citations and confidences', () => {
    const result = buildResult(extracted(schema, 'per_doc'), options);
    const value = result.extract_result as Record<string, unknown[]>;
    expect(validate(schema, value)).toEqual([]);
    const metadata = result.field_metadata?.document_metadata as Record<
      string,
      FieldMetadataEntry | FieldMetadataEntry[]
    >;
    expect(Object.keys(metadata)).toEqual(Object.keys(value));
    expect(metadata.invoice_number).toMatchObject({ citation: [{ page: 1, matching_text: 'NW-2031/77' }] });
    expect(metadata.purchase_order).toEqual({ citation: [], confidence: 0, extraction_confidence: 0 });
    expect(metadata.lines).toHaveLength(value.lines!.length);
    expect((metadata.lines as FieldMetadataEntry[])[1]).toMatchObject({
      description: {
        citation: [{ matching_text: 'Chart table', bounding_boxes: [{ x: 40, y: 272, w: 55, h: 10 }] }],
      },
    });
    const { confidence } = metadata.invoice_number as FieldMetadataEntry;
    expect(confidence).toBeGreaterThan(0.6);
    expect(confidence).toBeLessThanOrEqual(1);
  });

  it('omits metadata by default, and citations if only confidences are requested', () => {
    const extraction = extracted(schema, 'per_doc');
    expect(
      buildResult(extraction, { ...options, citeSources: false, confidenceScores: false }).field_metadata,
    ).toBeUndefined();
    const { field_metadata } = buildResult(extraction, { ...options, citeSources: false });
    expect(JSON.stringify(field_metadata)).not.toContain('citation');
  });

  describe('parsing confidence of cited words', () => {
    const total = { confidence: 0.8, citations: [{ page: 1, matching_text: 'Total 12.50' }] };
    const words: Word[] = [
      ['Total', 10, 10, 25, 10, 0.9],
      ['12.50', 40, 10, 25, 10, 0.5],
      ['noise', 10, 40, 25, 10, 0.1],
    ];
    const read = (page: Page, found: FieldEvidence = total) => {
      const evidence = new Map([['/grand_total', found]]);
      const checked = checkEvidence([page], { value: { grand_total: 12.5 }, evidence });
      const metadata = buildResult([checked], options).field_metadata?.document_metadata;
      return (metadata as Record<string, FieldMetadataEntry>).grand_total;
    };
    const page = { ...textPage('Total 12.50 noise'), words };

    it('is 1 for a text layer', () => {
      expect(read(page)).toMatchObject({
        parsing_confidence: 1,
        extraction_confidence: 0.8,
        confidence: 0.8,
      });
    });

    it('is the OCR confidence of the words, and lowers the total confidence', () => {
      expect(read({ ...page, ocr: { confidence: 0.3 } })).toMatchObject({
        parsing_confidence: 0.7,
        extraction_confidence: 0.8,
        confidence: 0.56,
      });
    });

    it('is the OCR confidence of the page if words have none', () => {
      expect(read({ ...page, words: [], ocr: { confidence: 0.5 } })).toMatchObject({
        parsing_confidence: 0.5,
      });
    });

    it('is absent if the engine reports none or no citation is verified', () => {
      const unsaid = read({ ...page, words: [], ocr: {} });
      expect(unsaid).not.toHaveProperty('parsing_confidence');
      expect(unsaid).toMatchObject({ confidence: 0.8 });
      const lost = { ...total, citations: [{ page: 1, matching_text: 'not there' }] };
      expect(read(page, lost)).not.toHaveProperty('parsing_confidence');
    });
  });

  it('halves confidence when a citation is not on the page', () => {
    const evidence = new Map([
      ['/grand_total', { confidence: 0.9, citations: [{ page: 1, matching_text: '99,999.99' }] }],
    ]);
    const { field_metadata } = buildResult(
      [checkEvidence([BILL], { value: { grand_total: 99999.99 }, evidence })],
      options,
    );
    expect(field_metadata?.document_metadata).toMatchObject({
      grand_total: { citation: [], confidence: 0.45 },
    });
  });

  it('keeps evidence with its item when unreadable items before the item are dropped', () => {
    const list: JsonSchema = {
      type: 'object',
      properties: { sums: { type: 'array', items: { type: 'number' } } },
    };
    const evidence = new Map([
      ['/sums/1', { confidence: 1, citations: [{ page: 1, matching_text: '300.00' }] }],
    ]);
    const result = buildResult([checkEvidence([BILL], { value: { sums: ['none', '300.00'] }, evidence })], {
      ...options,
      schema: list,
    });
    expect(result.extract_result).toEqual({ sums: [300] });
    expect(result.field_metadata?.document_metadata).toMatchObject({
      sums: [{ citation: [{ matching_text: '300.00' }] }],
    });
  });

  it('keeps evidence when a single value becomes a list and when an item is dropped', () => {
    const of: JsonSchema = {
      type: 'object',
      properties: {
        tags: { type: 'array', items: { type: 'string' } },
        sums: { type: 'array', items: { type: 'number' } },
      },
    };
    const cited = (matching_text: string) => ({ confidence: 1, citations: [{ page: 1, matching_text }] });
    const evidence = new Map([
      ['/tags', cited('Brass sextant')],
      ['/sums/1', cited('300.00')],
    ]);
    const value = { tags: 'Brass sextant', sums: ['none', 300] };
    const { field_metadata } = buildResult([{ value, evidence }], { ...options, schema: of });
    expect(field_metadata?.document_metadata).toMatchObject({
      tags: [{ confidence: 1, citation: [{ matching_text: 'Brass sextant' }] }],
      sums: [{ confidence: 1, citation: [{ matching_text: '300.00' }] }],
    });
  });

  it('returns lists for pages and rows', () => {
    const perPage = buildResult(extracted(schema, 'per_page'), {
      ...options,
      target: 'per_page',
    });
    expect(perPage.extract_result).toHaveLength(1);
    expect(perPage.field_metadata?.page_metadata).toHaveLength(1);
    const rowSchema: JsonSchema = {
      type: 'object',
      properties: { description: { type: 'string' }, amount: { type: 'number' } },
    };
    const perRow = buildResult(extracted(rowSchema, 'per_table_row'), {
      ...options,
      schema: rowSchema,
      target: 'per_table_row',
    });
    expect(perRow.extract_result).toHaveLength(2);
    expect(perRow.field_metadata?.row_metadata).toHaveLength(2);
  });
});
