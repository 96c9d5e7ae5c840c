import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { printedPage, textPage } from '#test/extraction/pages.ts';
import { extractNow } from './extract.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const number: JsonSchema = { type: 'number' };
const extract = (properties: Record<string, JsonSchema>, page: Page) =>
  extractNow({ type: 'object', properties }, [page], 'per_doc')[0]!.value;

describe('the total of a till receipt', () => {
  it.each([
    ['after rounding', 'Subtotal  22.91\nRounding  -0.01\nTo pay  22.90\nCash  50.00\nChange  27.10', 22.9],
    ['above the tax that it includes', 'Subtotal  10.00\nTotal  12.00\nVAT included  2.00', 12],
    ['below the cash and a larger change', 'Pens  6.00\nGrand total  6.00\nCash  50.00\nChange  44.00', 6],
    ['of two tax rates', 'Total 6 % goods  14.10\nTotal 0 % goods  44.76\nTotal payable  58.86', 58.86],
    ['beside a count', 'Nails  9.50\nGlue  2.50\nTotal items  2\nTotal  12.00\nCard  12.00', 12],
    [
      'that rounds the sum of the amounts above',
      'Net total  26.00\nTax  1.56\nRounding  -0.01\nTotal  27.55\nCard  27.55',
      27.55,
    ],
    ['whose rounding is below its label', 'Total goods  101.76\nRounding\n-0.01\nTotal due\n101.75', 101.75],
    ['without decimals beside a currency', 'Pens  EUR 3\nInk  EUR 4\nPaper  EUR 5\nTotal  12', 12],
  ])('is the amount %s', (_, lines, total) => {
    expect(extract({ total: number }, textPage(`Mill Shop\n${lines}`))).toEqual({ total });
  });

  it('keeps its printed form in a string field', () => {
    const page = textPage('Mill Shop\nNails  7.60\nTotal  EUR 7.60\nCard  7.60');
    expect(extract({ total: text('Total amount') }, page)).toEqual({ total: '7.60' });
  });
});

const HEAD = printedPage([
  [40, 30, 'HARBOUR LIGHTS SDN BHD (81109-A)'],
  [40, 44, 'No 290, Jetty View,'],
  [40, 58, 'Old Quarter'],
  [40, 72, '53200, Port Lumen.'],
  [40, 96, 'Tel: 03-40210276'],
]);

describe('the issuer of a till receipt', () => {
  it('has a name that ends below with its legal form', () => {
    const page = printedPage([
      [40, 30, 'STAR CHART VEGETARIAN'],
      [40, 44, 'RESTAURANT SDN BHD'],
      [40, 58, '(GST ID No: 001122334455)'],
      [40, 72, 'No 290, Jetty View,'],
      [40, 86, '53200, Port Lumen.'],
    ]);
    expect(extract({ company: text('Who issued the receipt') }, page)).toEqual({
      company: 'STAR CHART VEGETARIAN RESTAURANT SDN BHD',
    });
  });

  it('has an address from its house number to the town below its postal code', () => {
    const page = printedPage([
      [40, 30, 'STAR HARDWARE CENTRE SDN BHD'],
      [40, 44, 'LOT G3, BLK G, MILL ROW,'],
      [40, 58, 'HARBOUR GREEN, 47301'],
      [40, 72, 'PORT LUMEN, SELANGOR'],
      [40, 86, 'TEL: 03-7832 6929'],
    ]);
    expect(extract({ address: text('Address of the company') }, page)).toEqual({
      address: 'LOT G3, BLK G, MILL ROW, HARBOUR GREEN, 47301, PORT LUMEN, SELANGOR',
    });
  });

  it('has a name without its register number and an address without a word for street', () => {
    expect(
      extract({ company: text('Who issued the receipt'), address: text('Address of the company') }, HEAD),
    ).toEqual({
      company: 'HARBOUR LIGHTS SDN BHD',
      address: 'No 290, Jetty View, Old Quarter, 53200, Port Lumen.',
    });
  });

  it('is one name although the recognised letters are wide', () => {
    const words: Page['words'] = [
      ['RIVER', 40, 30, 60, 12],
      ['BAKERY', 113, 30, 72, 12],
      ['Total', 40, 90, 50, 12],
      ['4.00', 240, 90, 40, 12],
    ];
    const page = { ...HEAD, text: 'RIVER BAKERY\nTotal 4.00', words, ocr: { confidence: 0.9 } };
    expect(extract({ company: text('Who issued the receipt') }, page)).toEqual({ company: 'RIVER BAKERY' });
  });
});

describe('the day of a till receipt', () => {
  it('is read from its last line', () => {
    const page = textPage('Mill Shop\nNails  7.60\nTotal  7.60\nCard  7.60\n14.05.2031 12:10');
    expect(extract({ purchase_date: { type: 'string', format: 'date' } }, page)).toEqual({
      purchase_date: '2031-05-14',
    });
  });

  it('is the upper one of two days', () => {
    const page = textPage('Mill Shop\n14.05.2031 12:10\nNails  7.60\nTotal  7.60\nCard  7.60\n28.05.2031');
    expect(extract({ date: { type: 'string', format: 'date' } }, page)).toEqual({ date: '2031-05-14' });
  });
});
