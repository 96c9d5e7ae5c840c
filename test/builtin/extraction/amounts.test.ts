import { describe, expect, it } from 'vitest';
import { describeField } from '#src/builtin/extraction/fields.ts';
import type { Page } from '#src/documents/document.ts';
import { verifyCitations } from '#src/extraction/citations.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { printedPage, textPage } from '#test/extraction/pages.ts';

const text = (description?: string): JsonSchema => ({ type: 'string', ...(description && { description }) });
const number: JsonSchema = { type: 'number' };
const date: JsonSchema = { type: 'string', format: 'date' };
const items = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'array',
  items: { type: 'object', properties },
});

/** Extracts a document and asserts that all evidence is on the page. */
function extract(properties: Record<string, JsonSchema>, page: Page) {
  const [{ value, evidence }] = extractNow({ type: 'object', properties }, [page], 'per_doc') as [
    ReturnType<typeof extractNow>[0],
  ];
  for (const { citations } of evidence.values())
    expect(verifyCitations([page], citations).length).toBeGreaterThan(0);
  return value;
}

describe('totals checked by arithmetic', () => {
  it('are found although OCR misread their labels', () => {
    const page = textPage(
      'Rope shop\nRope 12 m        40.00\nSubt0tai         40.00\nT4x               8.00\nTota]            48.00',
    );
    expect(extract({ subtotal: number, tax: number, total: number }, page)).toEqual({
      subtotal: 40,
      tax: 8,
      total: 48,
    });
  });

  it('include an amount to pay, but not a gross pay', () => {
    expect(describeField({}, 'amount_to_pay', number)).toMatchObject({ amount: 'due' });
    expect(describeField({}, 'gross_pay', number).amount).toBeUndefined();
  });

  it('are not confused with the amounts of a tax rate table', () => {
    const page = textPage(
      'Bread            2,00 B\nTea             10,00 A\nSumme           12,00\nKarte           12,00\n' +
        'MwSt %   MwSt    Netto    Brutto\nA 19%    1,60     8,40    10,00\nB 7%     0,13     1,87     2,00',
    );
    expect(extract({ gesamtbetrag: number }, page)).toEqual({ gesamtbetrag: 12 });
  });

  it('exclude the cash given and the change', () => {
    const page = textPage(
      'Café Möwe\n2 x Kuchen         7,00\nTee                2,50\nHonig              1,00\nSumma             10,50\nBar               20,00\nZurück             9,50',
    );
    expect(extract({ total: number }, page)).toEqual({ total: 10.5 });
  });

  it('include the tip if one is added', () => {
    const page = textPage(
      'BLUE CAB CO-OP\nFare            18.00\nTax              1.62\nTotal           19.62\nTip              3.00\nTotal           22.62\nCard            22.62',
    );
    expect(extract({ fare: number, tax: number, tip: number, total_paid: number }, page)).toEqual({
      fare: 18,
      tax: 1.62,
      tip: 3,
      total_paid: 22.62,
    });
  });

  it('can be negative', () => {
    const page = textPage(
      'Kiln & Sons Ltd\nCREDIT NOTE\nCredit note no: CN-2031-5\nOriginal invoice no: INV-2031-88\nReturned tiles     -100.00\nNet            -100.00\nVAT 20%            -20.00\nTotal            -120.00',
    );
    expect(
      extract(
        {
          number: text('Number of the credit note'),
          original_invoice_number: text('Number of the invoice that is corrected'),
          net: number,
          tax: number,
          total: number,
        },
        page,
      ),
    ).toEqual({
      number: 'CN-2031-5',
      original_invoice_number: 'INV-2031-88',
      net: -100,
      tax: -20,
      total: -120,
    });
  });

  it('do not replace amounts that have labels of their own', () => {
    const page = printedPage([
      [60, 30, 'Nordlys Sparebank ASA'],
      [60, 100, 'Opening balance'],
      [400, 100, '1,200.00'],
      [60, 116, 'Total credits'],
      [400, 116, '2,500.00'],
      [60, 132, 'Total debits'],
      [400, 132, '900.00'],
      [60, 148, 'Closing balance'],
      [400, 148, '2,800.00'],
    ]);
    expect(
      extract(
        { opening_balance: number, total_credits: number, total_debits: number, closing_balance: number },
        page,
      ),
    ).toEqual({ opening_balance: 1200, total_credits: 2500, total_debits: 900, closing_balance: 2800 });
  });
});

describe('receipt lines', () => {
  it('are extracted as items without totals and payments', () => {
    const page = textPage(
      'Harbour Kiosk\n2 Tea            6.40\n1  Scone 80 g            2.10 B\nPostcard            1.50\nTotal            10.00\nCash            20.00\nChange            10.00',
    );
    expect(extract({ articles: items({ name: text(), quantity: number, price: number }) }, page)).toEqual({
      articles: [
        { name: 'Tea', quantity: 2, price: 6.4 },
        { name: 'Scone 80 g', quantity: 1, price: 2.1 },
        { name: 'Postcard', quantity: null, price: 1.5 },
      ],
    });
  });

  it('are found after a total that comes first', () => {
    const page = textPage(
      'Amount payable   30.00\n\nSummary\nStorage          10.00\nTraffic          12.00\nSupport           8.00',
    );
    expect(extract({ charges: items({ service: text(), price: number }) }, page)).toEqual({
      charges: [
        { service: 'Storage', price: 10 },
        { service: 'Traffic', price: 12 },
        { service: 'Support', price: 8 },
      ],
    });
  });
});

describe('document date', () => {
  it('is found as a bare date or a timestamp without a label', () => {
    expect(extract({ visit_date: date }, textPage('Clinic\nDesk 4   Ida   11.03.2031 10:15'))).toEqual({
      visit_date: '2031-03-11',
    });
    expect(extract({ due_date: date }, textPage('Clinic\nDesk 4   Ida   11.03.2031 10:15'))).toEqual({
      due_date: null,
    });
  });

  it.each([
    ['Call 415-555-0134', '2031-03-09'],
    ['Halifax, NS  B3H 4R2', '2031-03-09'],
    ['Leeds LS1 4DY', '2031-09-03'],
  ])('is read month first if %s points to North America', (line, day) => {
    expect(extract({ day: date }, textPage(`Blue Cab\n${line}\n03/09/2031`))).toEqual({ day });
  });
});

describe('unlabeled names and addresses', () => {
  it('come from the head of a CV', () => {
    const page = printedPage([
      [60, 30, 'Ida Lund'],
      [60, 44, '14 Quay Lane, Bristol BS1 4DJ'],
      [60, 100, 'Experience'],
      [60, 114, 'Kiln & Sons Ltd, 2027-2031'],
    ]);
    expect(extract({ name: text(), address: text('Postal address'), project_name: text() }, page)).toEqual({
      name: 'Ida Lund',
      address: '14 Quay Lane, Bristol BS1 4DJ',
      project_name: null,
    });
  });

  it('are found for field names in the language of the document', () => {
    const page = printedPage([
      [60, 30, 'Acqua Chiara S.p.A.'],
      [60, 44, 'Via Roma 12 - 20121 Milano'],
      [350, 120, 'Gentile cliente'],
      [350, 134, 'Marco Fonti'],
      [350, 148, 'Via Verdi 3'],
      [350, 162, '10121 Torino'],
      [60, 220, 'Fattura n. 2031/443'],
      [60, 252, 'Scadenza'],
      [300, 252, '15/06/2031'],
    ]);
    expect(
      extract(
        {
          fornitore: text(),
          cliente: text(),
          indirizzo_cliente: text(),
          scadenza: date,
          numero_fattura: text(),
        },
        page,
      ),
    ).toEqual({
      fornitore: 'Acqua Chiara S.p.A.',
      cliente: 'Marco Fonti',
      indirizzo_cliente: 'Via Verdi 3, 10121 Torino',
      scadenza: '2031-06-15',
      numero_fattura: '2031/443',
    });
  });
});
