import { buildPdf, text } from '#test/fixtures/pdf.ts';

const LINES = ['Invoice', 'Invoice number: INV-2041', 'Invoice date: 2026-03-14', 'Total due: 1,163.40 EUR'];

export const INVOICE_TEXT = LINES.join('\n');
export const INVOICE = new Uint8Array(
  buildPdf({ pages: [{ content: LINES.map((line, at) => text(72, 720 - at * 24, line)).join('') }] }),
);
/** PDF page without content. */
export const BLANK = new Uint8Array(buildPdf({ pages: [{ content: '' }] }));
export const RECIPE =
  'Pancakes\n\nIngredients: flour, milk, eggs.\nPreparation steps: mix, rest, cook in a pan.\n';

export const SCHEMA = {
  type: 'object',
  properties: {
    invoice_number: { type: 'string' },
    invoice_date: { type: 'string', format: 'date' },
    total_due: { type: 'number' },
  },
  required: ['invoice_number'],
};
/** Values of the invoice for the schema. */
export const FOUND = { invoice_number: 'INV-2041', invoice_date: '2026-03-14', total_due: 1163.4 };

export const RULES = [
  { type: 'invoice', description: 'A bill that asks for payment, with an invoice number and a total due.' },
  { type: 'recipe', description: 'Instructions for cooking, with ingredients and preparation steps.' },
];
