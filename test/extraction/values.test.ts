import { describe, expect, it } from 'vitest';
import { detectDateOrder, findDates, findTimes } from '#src/extraction/values/dates.ts';
import { detectDecimalMark, findAmounts, findCurrencies } from '#src/extraction/values/numbers.ts';
import {
  findIbans,
  findIdentifiers,
  findPhones,
  findUrls,
  findVatIds,
  isIban,
} from '#src/extraction/values/patterns.ts';

describe('findDates', () => {
  it.each([
    ['2031-03-14', '2031-03-14'],
    ['14.03.2031', '2031-03-14'],
    ['8-9-2022', '2022-09-08'],
    ['14 March 2031', '2031-03-14'],
    ['March 14th, 2031', '2031-03-14'],
    ['7. Mai 2014', '2014-05-07'],
    ['1er août 2019', '2019-08-01'],
    ['3 maart 2020', '2020-03-03'],
    ['5 października 2021', '2021-10-05'],
    ['20310314', '2031-03-14'],
    ['31/12/17', '2017-12-31'],
  ])('parses %s', (text, day) => {
    expect(findDates(`on ${text} at`).map((found) => found.value)).toEqual([day]);
  });

  it('parses slashed dates in the given order, and swaps day and month if the order is impossible', () => {
    expect(findDates('03/04/2020', 'mdy')[0]?.value).toBe('2020-03-04');
    expect(findDates('03/04/2020', 'dmy')[0]?.value).toBe('2020-04-03');
    expect(findDates('25/04/2020', 'mdy')[0]?.value).toBe('2020-04-25');
    expect(detectDateOrder('04/25/2020 and 03/04/2020')).toBe('mdy');
    expect(detectDateOrder('25/04/2020 and 03/04/2020')).toBe('dmy');
    expect(detectDateOrder('Salem  OR 97301, 03/04/2020')).toBe('mdy');
    expect(detectDateOrder('Invoice No 97301, 03/04/2020')).toBe('dmy');
  });

  it.each(['30.02.2020', '12.34.5678', '192.168.10.20', '1.163,40'])('finds no date in %s', (text) => {
    expect(findDates(text)).toEqual([]);
  });

  it('parses times of day', () => {
    expect(findTimes('at 8:05 pm or 14:30:10 or 0830 PST').map((found) => found.value)).toEqual([
      '20:05:00',
      '14:30:10',
      '08:30:00',
    ]);
  });
});

describe('findAmounts', () => {
  it.each([
    ['1.163,4000', 1163.4],
    ['1,163.40', 1163.4],
    ['15 387,08', 15387.08],
    ["1'200.50", 1200.5],
    ['€ 12,50', 12.5],
    ['12,50 €', 12.5],
    ['(99.00)', -99],
    ['-3.10', -3.1],
    ['3.10-', -3.1],
    ['1.234.567', 1234567],
    ['12,34,567.00', 1234567],
    ['0.025', 0.025],
  ])('parses %s', (text, value) => {
    expect(findAmounts(`is ${text} now`).map((found) => found.value)).toEqual([value]);
  });

  it('resolves three digits after a single mark by the decimal mark of the document', () => {
    expect(findAmounts('1.234', ',')[0]?.value).toBe(1234);
    expect(findAmounts('1.234', '.')[0]?.value).toBe(1.234);
    expect(detectDecimalMark('10,50 and 3,20 and 1.000,00')).toBe(',');
    expect(detectDecimalMark('10.50 and 3.20')).toBe('.');
  });

  it('ignores digits in words, dates and references', () => {
    expect(findAmounts('AB12 12.03.2020 10:30 CO-123/V2A')).toEqual([]);
  });

  it('converts currency names and symbols to codes', () => {
    expect(findCurrencies('€ and PLN and Rs 5').map((found) => found.value)).toEqual(['EUR', 'PLN', 'INR']);
  });
});

describe('identifiers and contacts', () => {
  it('validates IBANs', () => {
    expect(isIban('DE89 3704 0044 0532 0130 00')).toBe(true);
    expect(isIban('DE89 3704 0044 0532 0130 01')).toBe(false);
    expect(findIbans('IBAN: DE89 3704 0044 0532 0130 00 BIC')[0]).toMatchObject({
      text: 'DE89 3704 0044 0532 0130 00',
      quality: 1,
    });
  });

  it('finds phone numbers, URLs, VAT ids and references', () => {
    expect(findPhones('Tel. +49 (0) 30 123456-78')[0]?.value).toBe('+49 (0) 30 123456-78');
    expect(findPhones('on 12.03.2020')).toEqual([]);
    expect(findUrls('see www.example.test/a, or example.com.').map((found) => found.value)).toEqual([
      'www.example.test/a',
      'example.com',
    ]);
    expect(findVatIds('VAT NL001234567B01')[0]?.value).toBe('NL001234567B01');
    expect(findIdentifiers('Ref INV/2031/03/8 from').map((found) => found.value)).toEqual(['INV/2031/03/8']);
  });
});
