import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractBuiltin } from '#src/builtin/extraction/extractor.ts';
import { verifyCitations } from '#src/extraction/citations.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { BILL, printedPage, tableBlock, textPage } from '#test/extraction/pages.ts';
import { runs } from '#test/support/seed.ts';

const text = (description?: string): JsonSchema => ({ type: 'string', ...(description && { description }) });
const number: JsonSchema = { type: 'number' };
const date: JsonSchema = { type: 'string', format: 'date' };

function extract(properties: Record<string, JsonSchema>, pages: Parameters<typeof extractNow>[1]) {
  return extractNow({ type: 'object', properties }, pages, 'per_doc')[0]!.value;
}

describe('labels and values', () => {
  it('extracts an invoice with line items', () => {
    const lines: JsonSchema = {
      type: 'array',
      items: {
        type: 'object',
        properties: { description: text(), quantity: number, unit_price: number, total: number },
      },
    };
    expect(
      extract(
        {
          invoice_number: text(),
          invoice_date: date,
          due_date: date,
          supplier_name: text(),
          supplier_email: { type: 'string', format: 'email' },
          customer_name: text(),
          net_total: number,
          tax_total: number,
          grand_total: number,
          currency: text('ISO 4217 code'),
          lines,
        },
        [BILL],
      ),
    ).toEqual({
      invoice_number: 'NW-2031/77',
      invoice_date: '2031-03-14',
      due_date: '2031-04-13',
      supplier_name: 'Northwind Instruments Ltd',
      supplier_email: 'accounts@northwind-instruments.test',
      customer_name: 'Greta Lind',
      net_total: 1500.5,
      tax_total: 300.1,
      grand_total: 1800.6,
      currency: 'GBP',
      lines: [
        { description: 'Brass sextant', quantity: 2, unit_price: 150, total: 300 },
        { description: 'Chart table', quantity: 1, unit_price: 1200.5, total: 1200.5 },
      ],
    });
  });

  it('extracts values that follow, stand beside or stand below their labels', () => {
    const page = printedPage([
      [40, 40, 'Vessel: Marianne'],
      [40, 60, 'Home port'],
      [200, 60, 'Lisbon'],
      [40, 90, 'Berth no'],
      [200, 90, 'Arrival date'],
      [40, 104, 'B-17'],
      [200, 104, '2 May 2031'],
    ]);
    expect(
      extract({ vessel: text(), home_port: text(), berth_no: text(), arrival_date: date }, [page]),
    ).toEqual({
      vessel: 'Marianne',
      home_port: 'Lisbon',
      berth_no: 'B-17',
      arrival_date: '2031-05-02',
    });
  });

  it.each([
    ['Rechnungsnr.', 'Rechnungsdatum', '7. Mai 2031', 'Gesamtbetrag', '1.034,73 EUR'],
    ['Factuurnummer', 'Factuurdatum', '7 mei 2031', 'Totaal', '€ 1.034,73'],
    ['Numéro de facture', 'Date de facture', '7 mai 2031', 'Total TTC', '1 034,73 €'],
    ['Numer faktury', 'Data wystawienia', '7 maja 2031', 'Razem brutto', '1 034,73 zł'],
  ])('recognizes the labels %s, %s', (numberLabel, dateLabel, day, totalLabel, total) => {
    const page = printedPage([
      [40, 40, numberLabel],
      [200, 40, 'F-2031-88'],
      [40, 60, dateLabel],
      [200, 60, day],
      [40, 80, totalLabel],
      [200, 80, total],
    ]);
    expect(extract({ invoice_number: text(), invoice_date: date, total_amount: number }, [page])).toEqual({
      invoice_number: 'F-2031-88',
      invoice_date: '2031-05-07',
      total_amount: 1034.73,
    });
  });

  it('distinguishes invoice numbers from dates, tax numbers and phone numbers', () => {
    const page = textPage(
      'FAKTURA VAT nr 12/05/2031\nData wystawienia: 07-05-2031\nNIP: 525-00-07-313\nTel. 22 555 01 99',
    );
    expect(
      extract({ invoice_number: text(), invoice_date: date, supplier_phone: text(), vat_number: text() }, [
        page,
      ]),
    ).toEqual({
      invoice_number: '12/05/2031',
      invoice_date: '2031-05-07',
      supplier_phone: '22 555 01 99',
      vat_number: '525-00-07-313',
    });
    expect(extract({ invoice_number: text() }, [textPage('Facture du 05/11/2031')])).toEqual({
      invoice_number: null,
    });
  });

  it('distinguishes sender and recipient of a letter', () => {
    const page = printedPage([
      [60, 60, 'Kranbau Nord GmbH'],
      [160, 60, '•'],
      [180, 60, 'Werftweg 3'],
      [250, 60, '•'],
      [270, 60, '20457 Hamburg'],
      [60, 76, 'Herrn'],
      [60, 90, 'Ole Petersen'],
      [60, 104, 'Deichstr. 12'],
      [60, 118, '25813 Husum'],
      [60, 200, 'Rechnung Nr. 17'],
    ]);
    expect(
      extract({ seller_name: text(), seller_city: text(), buyer_name: text(), buyer_street: text() }, [page]),
    ).toEqual({
      seller_name: 'Kranbau Nord GmbH',
      seller_city: 'Hamburg',
      buyer_name: 'Ole Petersen',
      buyer_street: 'Deichstr. 12',
    });
  });

  it('extracts enums, booleans and nested objects', () => {
    const page = textPage(
      'Severity: high\nEscalated: yes\nContact\nContact name: Ada Byron\nContact phone: +44 20 7946 0000',
    );
    const value = extract(
      {
        severity: { type: 'string', enum: ['low', 'medium', 'high'] },
        escalated: { type: 'boolean' },
        contact: { type: 'object', properties: { name: text(), phone: text() } },
      },
      [page],
    );
    expect(value).toEqual({
      severity: 'high',
      escalated: true,
      contact: { name: 'Ada Byron', phone: '+44 20 7946 0000' },
    });
  });

  it('extracts counts by category and returns 0 only if the schema allows 0', () => {
    const page = textPage('Injuries: 2 Serious, 1 None');
    const value = extract(
      {
        serious_injuries: { type: 'integer' },
        fatal_injuries: { type: 'integer', description: 'Fatally injured; 0 when nobody was' },
        minor_injuries: { type: 'integer', description: 'Slightly injured' },
      },
      [page],
    );
    expect(value).toMatchObject({ serious_injuries: 2, fatal_injuries: 0 });
  });

  it('returns null for fields that the document does not mention', () => {
    const page = textPage('The weather was fine and nobody wrote anything down.');
    expect(
      extract(
        {
          invoice_number: text(),
          total: number,
          due_date: date,
          iban: text(),
          status: { enum: ['open', 'paid'] },
        },
        [page],
      ),
    ).toEqual({ invoice_number: null, total: null, due_date: null, iban: null, status: null });
    expect(extract({ total: number }, [textPage('')])).toEqual({ total: null });
  });

  it('does not use a date in a sentence as document date, and names only labels that exist in its reasoning', () => {
    const of: JsonSchema = {
      type: 'object',
      properties: { invoice_date: { type: 'string', format: 'date' } },
    };
    const read = (text: string) => extractNow(of, [textPage(text)], 'per_doc')[0]!;
    expect(read('Founded 3 May 1999 by two friends.').value).toEqual({ invoice_date: null });
    const { value, evidence } = read('Harbour Works\nUtopia, 3 May 1999');
    expect(value).toEqual({ invoice_date: '1999-05-03' });
    expect(evidence.get('/invoice_date')).not.toHaveProperty('reasoning');
  });

  it('extracts typed values and bullets as lists', () => {
    const page = textPage('Write to a@x.test or b@x.test.\nSkills:\n- sailing\n- welding\n\nOther text');
    expect(
      extract(
        {
          emails: { type: 'array', items: { type: 'string', format: 'email' } },
          skills: { type: 'array', items: { type: 'string' } },
        },
        [page],
      ),
    ).toEqual({ emails: ['a@x.test', 'b@x.test'], skills: ['sailing', 'welding'] });
  });
});

describe('any input', () => {
  it('finishes quickly on long lines that are built to slow down patterns', () => {
    for (const unit of ['1.', 'a-', '1-1 ', 'a@', 'DE1 ']) {
      const page = textPage(unit.repeat(20_000));
      const schema = {
        total: number,
        phone: text(),
        iban: text(),
        email: text(),
        invoice_number: text(),
        day: date,
      };
      expect(Object.keys(extract(schema, [page]))).toHaveLength(6);
    }
  });

  it('cites only text that occurs on the page', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Total', 'Date:', '12.50', '€', '2 May 2031', 'No.', 'A-17', '\n', 'Ada'), {
          maxLength: 40,
        }),
        (parts) => {
          const page = textPage(parts.join(' '));
          const schema: JsonSchema = {
            type: 'object',
            properties: { total: number, date, number: text(), name: text() },
          };
          const [extraction] = extractNow(schema, [page], 'per_doc');
          for (const { citations } of extraction!.evidence.values()) {
            expect(verifyCitations([page], citations)).toHaveLength(
              new Set(citations.map((one) => one.matching_text)).size,
            );
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe('targets', () => {
  const rows = tableBlock([
    ['Name', 'Age', 'City'],
    ['Ada', '36', 'London'],
    ['Blaise', '39', 'Paris'],
  ]);
  const schema: JsonSchema = {
    type: 'object',
    properties: { name: text(), age: { type: 'integer' }, city: text() },
  };

  it('returns one object per table row', () => {
    const values = extractNow(schema, [textPage(rows.text, [rows])], 'per_table_row').map((one) => one.value);
    expect(values).toEqual([
      { name: 'Ada', age: 36, city: 'London' },
      { name: 'Blaise', age: 39, city: 'Paris' },
    ]);
  });

  it('returns one object per page', () => {
    const pages = [textPage('Name: Ada', [], 0), textPage('Name: Blaise\nAge: 39', [], 1)];
    const values = extractNow(schema, pages, 'per_page').map((one) => one.value);
    expect(values).toEqual([
      { name: 'Ada', age: null, city: null },
      { name: 'Blaise', age: 39, city: null },
    ]);
  });
});

describe('extraction of many fields', () => {
  it('pauses in proportion to the number of fields and returns the same result as without pauses', async () => {
    const pages = [textPage('F1: lamp\nF7: bell\n')];
    const pausesFor = async (count: number) => {
      const properties = Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'string' }]),
      );
      let pauses = 0;
      const schema = { type: 'object', properties };
      const found = await extractBuiltin(schema, pages, 'per_doc', async () => {
        pauses += 1;
      });
      expect(found).toEqual(extractNow(schema, pages, 'per_doc'));
      return pauses;
    };
    expect(await pausesFor(20)).toBeGreaterThan(0);
    expect(await pausesFor(80)).toBeGreaterThanOrEqual((await pausesFor(40)) * 2);
  });
});
