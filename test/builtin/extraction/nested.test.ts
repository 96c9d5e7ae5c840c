import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { verifyCitations } from '#src/extraction/citations.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { printedPage, tableBlock, textPage } from '#test/extraction/pages.ts';

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'number' };
const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

const tablePage = (rows: string[][]) => {
  const block = tableBlock(rows);
  return textPage(block.text, [block]);
};

/** Extracts a document and asserts that each filled leaf has evidence on the pages under its own pointer. */
function extract(properties: Record<string, JsonSchema>, pages: Page[]) {
  const [extraction] = extractNow(object(properties), pages, 'per_doc');
  const { value, evidence } = extraction!;
  expect([...evidence.keys()].sort()).toEqual(filled(value).sort());
  for (const { citations } of evidence.values()) {
    expect(verifyCitations(pages, citations).length).toBeGreaterThan(0);
  }
  return value;
}

function filled(value: unknown, at = ''): string[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [at];
  return Object.entries(value as object).flatMap(([name, inner]) => filled(inner, `${at}/${name}`));
}

describe('objects inside the rows of a table', () => {
  const properties = {
    articles: list(
      object({
        product: object({ name: text, code: text }),
        quantity: number,
        price: object({ amount: number, terms: object({ incoterm: text }) }),
      }),
    ),
  };

  it('are read from columns named after the object or its context', () => {
    const page = tablePage([
      ['Product', 'Code', 'Quantity', 'Price', 'Incoterm'],
      ['Brass sextant', 'BS-101', '2', '150.00', 'FOB'],
      ['Chart table', 'CT-207', '1', '1,200.50', 'CIF'],
    ]);
    expect(extract(properties, [page])).toEqual({
      articles: [
        {
          product: { name: 'Brass sextant', code: 'BS-101' },
          quantity: 2,
          price: { amount: 150, terms: { incoterm: 'FOB' } },
        },
        {
          product: { name: 'Chart table', code: 'CT-207' },
          quantity: 1,
          price: { amount: 1200.5, terms: { incoterm: 'CIF' } },
        },
      ],
    });
  });

  it('have null members if the table has no matching column', () => {
    const page = tablePage([
      ['Product', 'Quantity'],
      ['Brass sextant', '2'],
    ]);
    expect(extract(properties, [page])).toEqual({
      articles: [
        {
          product: { name: 'Brass sextant', code: null },
          quantity: 2,
          price: { amount: null, terms: { incoterm: null } },
        },
      ],
    });
  });

  it('are returned in per-row results', () => {
    const page = tablePage([
      ['Product', 'Quantity', 'Price'],
      ['Brass sextant', '2', '150.00'],
      ['Chart table', '1', '80.00'],
    ]);
    const rows = extractNow(properties.articles.items!, [page], 'per_table_row');
    expect(rows.map(({ value }) => value.price)).toEqual([
      { amount: 150, terms: { incoterm: null } },
      { amount: 80, terms: { incoterm: null } },
    ]);
    expect([...rows[1]!.evidence.keys()].sort()).toEqual(['/price/amount', '/product/name', '/quantity']);
  });
});

describe('lists inside the rows of a table', () => {
  const lines = list(object({ sku: text, quantity: number }));
  const orders = { orders: list(object({ order_number: text, customer: text, lines })) };
  const expected = {
    orders: [
      {
        order_number: 'PO-1001',
        customer: 'Ada',
        lines: [
          { sku: 'A-11', quantity: 2 },
          { sku: 'B-22', quantity: 3 },
        ],
      },
      { order_number: 'PO-1002', customer: 'Blaise', lines: [{ sku: 'C-33', quantity: 1 }] },
    ],
  };

  it.each([
    ['repeats', 'PO-1001', 'Ada'],
    ['leaves blank', '', ''],
  ])('group rows if the table %s outer columns', (_, order, customer) => {
    const page = tablePage([
      ['Order number', 'Customer', 'SKU', 'Quantity'],
      ['PO-1001', 'Ada', 'A-11', '2'],
      [order, customer, 'B-22', '3'],
      ['PO-1002', 'Blaise', 'C-33', '1'],
    ]);
    expect(extract(orders, [page])).toEqual(expected);
  });

  it('are extracted from printed pages', () => {
    const page = printedPage([
      [40, 40, 'Order number'],
      [160, 40, 'Customer'],
      [280, 40, 'SKU'],
      [400, 40, 'Quantity'],
      [40, 56, 'PO-1001'],
      [160, 56, 'Ada'],
      [280, 56, 'A-11'],
      [400, 56, '2'],
      [280, 72, 'B-22'],
      [400, 72, '3'],
      [40, 88, 'PO-1002'],
      [160, 88, 'Blaise'],
      [280, 88, 'C-33'],
      [400, 88, '1'],
    ]);
    expect(extract(orders, [page])).toEqual(expected);
  });

  it('can contain lists', () => {
    const page = tablePage([
      ['Region', 'Order number', 'SKU', 'Quantity'],
      ['North', 'PO-1001', 'A-11', '2'],
      ['', '', 'B-22', '3'],
      ['', 'PO-1002', 'C-33', '1'],
      ['South', 'PO-1003', 'D-44', '5'],
    ]);
    const inner = list(object({ order_number: text, lines }));
    expect(extract({ regions: list(object({ region: text, orders: inner })) }, [page])).toEqual({
      regions: [
        {
          region: 'North',
          orders: [
            {
              order_number: 'PO-1001',
              lines: [
                { sku: 'A-11', quantity: 2 },
                { sku: 'B-22', quantity: 3 },
              ],
            },
            { order_number: 'PO-1002', lines: [{ sku: 'C-33', quantity: 1 }] },
          ],
        },
        { region: 'South', orders: [{ order_number: 'PO-1003', lines: [{ sku: 'D-44', quantity: 5 }] }] },
      ],
    });
  });

  it('are empty for rows without inner values', () => {
    const page = tablePage([
      ['Description', 'Total', 'Tax code', 'Tax rate'],
      ['Brass sextant', '300.00', 'STD', '20%'],
      ['Postage', '4.00', '', ''],
      ['Chart table', '1,200.50', 'STD', '20%'],
    ]);
    const taxes = list(object({ tax_code: text, tax_rate: number }));
    const item = object({ description: text, total: number, taxes });
    expect(extract({ items: list(item) }, [page])).toEqual({
      items: [
        { description: 'Brass sextant', total: 300, taxes: [{ tax_code: 'STD', tax_rate: 20 }] },
        { description: 'Postage', total: 4, taxes: [] },
        { description: 'Chart table', total: 1200.5, taxes: [{ tax_code: 'STD', tax_rate: 20 }] },
      ],
    });
  });

  it('are split from one cell if they hold single values', () => {
    const page = tablePage([
      ['Name', 'Languages', 'Years'],
      ['Ada', 'English, French', '1835; 1843'],
      ['Blaise', 'French', '1642'],
    ]);
    const person = object({ name: text, languages: list(text), years: list({ type: 'integer' }) });
    expect(extract({ people: list(person) }, [page])).toEqual({
      people: [
        { name: 'Ada', languages: ['English', 'French'], years: [1835, 1843] },
        { name: 'Blaise', languages: ['French'], years: [1642] },
      ],
    });
  });
});

describe('lists of objects in document sections', () => {
  const lines = list(object({ item: text, quantity: number }));
  const orders = {
    orders: list(object({ number: text, delivery: object({ city: text, phone: text }), lines })),
  };
  const section = (n: number, city: string, rows: string) =>
    `Order number: PO-${n}\nCity: ${city}\nPhone: +44 20 7946 000${n % 10}\n\nItem    Quantity\n${rows}`;

  it('start a new item where the first label repeats', () => {
    const first = section(1001, 'Leeds', 'Brass sextant    2\nChart table    3');
    const pages = [textPage(first, [], 0), textPage(section(1002, 'Cardiff', 'Log line    7'), [], 1)];
    expect(extract(orders, pages)).toEqual({
      orders: [
        {
          number: 'PO-1001',
          delivery: { city: 'Leeds', phone: '+44 20 7946 0001' },
          lines: [
            { item: 'Brass sextant', quantity: 2 },
            { item: 'Chart table', quantity: 3 },
          ],
        },
        {
          number: 'PO-1002',
          delivery: { city: 'Cardiff', phone: '+44 20 7946 0002' },
          lines: [{ item: 'Log line', quantity: 7 }],
        },
      ],
    });
  });

  it('can have a single item', () => {
    const page = textPage(section(1001, 'Leeds', 'Brass sextant    2\nChart table    3'));
    expect(extract(orders, [page])).toMatchObject({
      orders: [{ number: 'PO-1001', lines: [{ quantity: 2 }, { quantity: 3 }] }],
    });
  });

  it('can contain inner sections', () => {
    const crew = (name: string, berths: string[]) =>
      [`Vessel: ${name}`, ...berths.map((berth) => `Crew member: ${berth}\nRank: mate`)].join('\n');
    const page = textPage([crew('Marianne', ['Ada', 'Blaise']), crew('Sirius', ['Carl', 'Dora'])].join('\n'));
    const member = object({ crew_member: text, rank: text });
    expect(extract({ vessels: list(object({ vessel: text, crew: list(member) })) }, [page])).toEqual({
      vessels: [
        {
          vessel: 'Marianne',
          crew: [
            { crew_member: 'Ada', rank: 'mate' },
            { crew_member: 'Blaise', rank: 'mate' },
          ],
        },
        {
          vessel: 'Sirius',
          crew: [
            { crew_member: 'Carl', rank: 'mate' },
            { crew_member: 'Dora', rank: 'mate' },
          ],
        },
      ],
    });
  });

  it('are empty if the document does not mention them', () => {
    expect(extract(orders, [textPage('The weather was fine.')])).toEqual({ orders: [] });
  });

  it('terminate for a recursive schema', () => {
    const part: JsonSchema = object({ name: text, parts: { $ref: '#/$defs/parts' } });
    const schema = { ...object({ parts: { $ref: '#/$defs/parts' } }), $defs: { parts: list(part) } };
    const [extraction] = extractNow(schema, [textPage('Name: Hull\nName: Keel')], 'per_doc');
    expect(Object.keys(extraction!.value)).toEqual(['parts']);
  });
});
