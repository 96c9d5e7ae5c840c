import { describe, expect, it } from 'vitest';
import type { Page, Word } from '#src/documents/document.ts';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import type { ExtractionTarget } from '#src/extraction/configuration.ts';
import type { FieldEvidence } from '#src/extraction/evidence.ts';
import { buildResult, type FieldMetadataEntry, type ResultOptions } from '#src/extraction/result.ts';
import { validate } from '#src/extraction/validate.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { BILL, textPage } from './pages.ts';

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
    expect(perPage.extract_result).toEqual([
      {
        invoice_number: 'NW-2031/77',
        grand_total: 1800.6,
        purchase_order: null,
        lines: [
          { description: 'Brass sextant', amount: 300 },
          { description: 'Chart table', amount: 1200.5 },
        ],
      },
    ]);
    expect(perPage.field_metadata?.page_metadata).toMatchObject([
      {
        invoice_number: { citation: [{ page: 1, matching_text: 'NW-2031/77' }] },
        lines: [{ amount: { citation: [{ matching_text: '300.00' }] } }, {}],
      },
    ]);
    const rowSchema: JsonSchema = {
      type: 'object',
      properties: { description: { type: 'string' }, amount: { type: 'number' } },
    };
    const perRow = buildResult(extracted(rowSchema, 'per_table_row'), {
      ...options,
      schema: rowSchema,
      target: 'per_table_row',
    });
    expect(perRow.extract_result).toEqual([
      { description: 'Brass sextant', amount: 300 },
      { description: 'Chart table', amount: 1200.5 },
    ]);
    expect(perRow.field_metadata?.row_metadata).toMatchObject([
      { description: { citation: [{ matching_text: 'Brass sextant' }] } },
      { description: { citation: [{ matching_text: 'Chart table' }] } },
    ]);
  });
});
