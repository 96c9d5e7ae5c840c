import { describe, expect, it } from 'vitest';
import { layOutPages } from '#src/builtin/extraction/layout.ts';
import { findAddresses } from '#src/builtin/extraction/parties/address.ts';
import { findPlace, scoreStreet } from '#src/builtin/extraction/parties/address-shape.ts';
import type { Page } from '#src/documents/document.ts';
import { printedPage, textPage } from '#test/extraction/pages.ts';

const listAddressLines = (page: Page) =>
  layOutPages([page]).flatMap((layout) =>
    findAddresses(layout).map(({ lines }) => lines.map(({ text }) => text)),
  );

describe('placeIn', () => {
  it.each([
    ['Springfield, IL 62701', 'Springfield', '62701'],
    ['Halifax, NS, B3H 4R2', 'Halifax', 'B3H 4R2'],
    ['14 Quay Lane, Bristol BS1 4DJ', 'Bristol', 'BS1 4DJ'],
    ['D-20457 Hamburg', 'Hamburg', '20457'],
    ['3511 AX Utrecht', 'Utrecht', '3511 AX'],
    ['00-950 Warszawa', 'Warszawa', '00-950'],
    ['114 55 Stockholm', 'Stockholm', '114 55'],
    ['1100-038 Lisboa', 'Lisboa', '1100-038'],
    ['Ringstraße 9, 1010 Wien', 'Wien', '1010'],
    ['28013 Madrid, España', 'Madrid', '28013'],
    ['20121 Milano', 'Milano', '20121'],
    ['Pune - 411001', 'Pune', '411001'],
    ['São Paulo - SP, 01310-100', 'São Paulo', '01310-100'],
    ['Kyoto 604-8152', 'Kyoto', '604-8152'],
  ])('finds city and postal code in %s', (text, city, zip) => {
    expect(findPlace(text)).toMatchObject({ city, zip });
  });

  it.each([
    '12 May 2031',
    'Invoice 20310 Total',
    'Register 10024 Clerk 7',
    '4 Blue Chairs 129.00',
    '1500 Harbour Road',
    'REF 1254000',
    'Total, 12345.00 EUR',
    'a@b.test 20457 Hamburg',
  ])('finds no city in %s', (text) => {
    expect(findPlace(text)).toBeUndefined();
  });
});

describe('streetness', () => {
  it('scores a capitalized name with a house number, and scores a street word higher', () => {
    expect(scoreStreet('Kanalweg 12b')).toBe(1);
    expect(scoreStreet('221B Baker Street')).toBe(1);
    expect(scoreStreet('Piazza 5')).toBe(0.5);
    expect(scoreStreet('Total: 12')).toBe(0);
    expect(scoreStreet('3 May 2031')).toBe(0);
    expect(scoreStreet('2 Coffee 4.50')).toBe(0);
  });
});

describe('address blocks', () => {
  it('contain the lines that belong together and ignore the neighboring column', () => {
    const page = printedPage([
      [40, 40, 'Ferry Lines Oy'],
      [300, 44, 'Booking 7781'],
      [40, 54, 'Floor 3'],
      [300, 58, 'Paid by card'],
      [40, 68, '5 Harbour Street'],
      [40, 82, 'Springfield, IL 62701'],
      [40, 120, 'Dear passenger'],
    ]);
    expect(listAddressLines(page)).toEqual([['5 Harbour Street', 'Springfield, IL 62701']]);
    expect(
      listAddressLines(textPage('Mill House\nStation Road 8\n3511 AX Utrecht\nTel 030 555 0101')),
    ).toEqual([['Station Road 8', '3511 AX Utrecht']]);
  });

  it('are found without a postal code if a line contains a street word', () => {
    expect(listAddressLines(textPage('BLUE HERON DINER\n77 Mill Road\nHalifax, NS\n902-555-0134'))).toEqual([
      ['77 Mill Road', 'Halifax, NS'],
    ]);
  });

  it('are split out of the single sender line above an envelope window', () => {
    expect(
      listAddressLines(textPage('Stadtwerke Husum • Deichstr. 12 • 25813 Husum\n\nFrau Ada Lind')),
    ).toEqual([['Deichstr. 12', '25813 Husum']]);
  });

  it('are not built from lists of goods', () => {
    expect(listAddressLines(textPage('3957 Cable Black\n2 Plates 9.70\n1500 Pens\nStore 1327'))).toEqual([]);
  });
});
