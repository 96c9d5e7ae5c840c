import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { printedPage, textPage } from '#test/extraction/pages.ts';
import { extractNow } from './extract.ts';

const amounts = (...names: string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])),
});
const read = (page: Parameters<typeof extractNow>[1][number], ...names: string[]) =>
  extractNow(amounts(...names), [page], 'per_doc')[0]!;

const CORRECTION = textPage(`Correction invoice no: C-7 of 2 May 2031

                 Before        After     Difference
Net            1,000.00       800.00        -200.00
VAT              200.00       160.00         -40.00
Gross          1,200.00       960.00        -240.00`);

describe('values that row and column name together', () => {
  it('are told apart by what the field says: before a correction, after it, the difference', () => {
    const { value, evidence } = read(CORRECTION, 'net_before', 'net_after', 'net_difference', 'gross_after');
    expect(value).toEqual({ net_before: 1000, net_after: 800, net_difference: -200, gross_after: 960 });
    expect(evidence.get('/gross_after')).toMatchObject({
      reasoning: 'Read at the label "Gross, After".',
      citations: [{ page: 1, matching_text: '960.00' }],
    });
  });

  it('are not found under whole numbers, which are no headings', () => {
    const page = textPage(`Correction invoice no: C-7 of 2 May 2031

                 Before        After     Difference
Net              1000          800         -200
VAT               200          160          -40
Gross            1200          960         -240`);
    expect(read(page, 'net_before', 'net_after', 'gross_after').value).toEqual({
      net_before: 1000,
      net_after: 800,
      gross_after: 960,
    });
  });

  it('are found in another language', () => {
    const page = printedPage([
      [40, 40, 'Faktura korygująca'],
      [200, 80, 'Przed korektą'],
      [320, 80, 'Po korekcie'],
      [440, 80, 'Różnica'],
      [40, 100, 'Netto'],
      [200, 100, '1000,00'],
      [320, 100, '800,00'],
      [440, 100, '-200,00'],
      [40, 120, 'Brutto'],
      [200, 120, '1230,00'],
      [320, 120, '984,00'],
      [440, 120, '-246,00'],
    ]);
    expect(read(page, 'gross_after', 'net_difference', 'gross_before').value).toEqual({
      gross_after: 984,
      net_difference: -200,
      gross_before: 1230,
    });
  });
});
