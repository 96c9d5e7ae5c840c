import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Page, Word } from '../../../src/ingest/parsing/document.ts';
import { extractBuiltin } from '../../../src/jobs/extract/builtin/extractor.ts';
import { checkEvidence } from '../../../src/jobs/extract/check-evidence.ts';
import { verifyCitations } from '../../../src/jobs/extract/citations.ts';
import type { ExtractionTarget } from '../../../src/jobs/extract/configuration.ts';
import type { FieldEvidence } from '../../../src/jobs/extract/evidence.ts';
import { repair, validate } from '../../../src/jobs/extract/repair.ts';
import {
  buildResult,
  type FieldMetadataEntry,
  type ResultOptions,
} from '../../../src/jobs/extract/result.ts';
import type { JsonSchema } from '../../../src/jobs/extract/schema.ts';
import { runs } from '../../support/seed.ts';
import { BILL, textPage } from '../pages.ts';

describe('verifyCitations', () => {
  it('keeps what is on the page, with boxes and page size', () => {
    expect(verifyCitations([BILL], [{ page: 1, matching_text: 'NW-2031/77' }])).toEqual([
      {
        page: 1,
        matching_text: 'NW-2031/77',
        bounding_boxes: [{ x: 460, y: 100, w: 50, h: 10 }],
        page_dimensions: { width: 595, height: 842 },
      },
    ]);
  });

  it('gives a box per line for text that wraps, and finds values inside words', () => {
    const boxes = (matching_text: string) =>
      verifyCitations([BILL], [{ page: 1, matching_text }])[0]?.bounding_boxes;
    expect(boxes('Greta Lind Quay Street 4')).toEqual([
      { x: 40, y: 164, w: 50, h: 10 },
      { x: 40, y: 178, w: 65, h: 10 },
    ]);
    expect(boxes('2031/77')).toEqual([{ x: 460, y: 100, w: 50, h: 10 }]);
  });

  it('drops what is not there, is on another page, or says nothing', () => {
    const candidates = [
      { page: 1, matching_text: 'NW-2031/78' },
      { page: 2, matching_text: 'NW-2031/77' },
      { page: 1, matching_text: '  ' },
    ];
    expect(verifyCitations([BILL], candidates)).toEqual([]);
  });

  it('finds the page when none is named, ignoring case and spaces', () => {
    const pages = [textPage('first', [], 0), textPage('the Second\npage', [], 1)];
    expect(verifyCitations(pages, [{ matching_text: 'second PAGE' }])).toMatchObject([{ page: 2 }]);
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

  it('converts what is certain and keeps what fits', () => {
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

  it('never invents: null where allowed, absent where optional, reported where required', () => {
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

  it('gives values that fit, whatever it is given', () => {
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

  it('survives values of the wrong shape', () => {
    for (const value of [null, 'text', 5, [], { owner: 'me', tags: { a: 1 } }, { paid: { toString: '' } }]) {
      expect(() => repair(schema, value)).not.toThrow();
    }
  });
});

describe('buildResult', () => {
  const extracted = (schema: JsonSchema, target: ExtractionTarget) =>
    extractBuiltin(schema, [BILL], target).map((one) => checkEvidence([BILL], one));
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

  it('mirrors the result with checked citations and confidences', () => {
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

  it('leaves metadata out when nobody asked, and citations when only confidences are wanted', () => {
    const extraction = extracted(schema, 'per_doc');
    expect(
      buildResult(extraction, { ...options, citeSources: false, confidenceScores: false }).field_metadata,
    ).toBeUndefined();
    const { field_metadata } = buildResult(extraction, { ...options, citeSources: false });
    expect(JSON.stringify(field_metadata)).not.toContain('citation');
  });

  describe('says how surely the cited words were read', () => {
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

    it('with 1 for a text layer', () => {
      expect(read(page)).toMatchObject({
        parsing_confidence: 1,
        extraction_confidence: 0.8,
        confidence: 0.8,
      });
    });

    it('with the OCR engine’s confidence in those words, which lowers the whole', () => {
      expect(read({ ...page, ocr: { confidence: 0.3 } })).toMatchObject({
        parsing_confidence: 0.7,
        extraction_confidence: 0.8,
        confidence: 0.56,
      });
    });

    it('with that in the page where the engine tells no words', () => {
      expect(read({ ...page, words: [], ocr: { confidence: 0.5 } })).toMatchObject({
        parsing_confidence: 0.5,
      });
    });

    it('with nothing where the engine does not say, or no place is cited', () => {
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

  it('keeps evidence with its item when unreadable items before it are dropped', () => {
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

  it('gives lists for pages and rows', () => {
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
