import { describe, expect, it } from 'vitest';
import { parsePageRanges, selectPages } from '#src/lib/text/page-ranges.ts';

describe('parsePageRanges', () => {
  it('sorts and merges pages and ranges', () => {
    expect(parsePageRanges(' 7, 1,3 - 5,4-6 ')).toEqual([
      { first: 1, last: 1 },
      { first: 3, last: 7 },
    ]);
  });

  it.each([
    ['', /empty/],
    ['0', /page 0/],
    ['5-3', /"5-3" ends before it starts/],
    ['1,,2', /"" is not a page/],
    ['1-', /"1-" is not a page/],
    ['-2', /"-2" is not a page/],
    ['all', /"all" is not a page/],
  ])('explains what is wrong with %j', (text, message) => {
    expect(() => parsePageRanges(text)).toThrow(message);
  });

  it('limits the length of a selection and shortens long parts in errors', () => {
    expect(parsePageRanges(`1${',1'.repeat(49_999)}`)).toEqual([{ first: 1, last: 1 }]);
    expect(() => parsePageRanges(`1${',1'.repeat(50_000)}`)).toThrow(/at most 100000 characters, not 100001/);
    expect(() => parsePageRanges('9'.repeat(1_000))).toThrow(/^"9{40}…" is not a page/);
  });
});

describe('selectPages', () => {
  it('returns 0-based indexes within the document, up to the maximum', () => {
    expect(selectPages(6, {})).toEqual([0, 1, 2, 3, 4, 5]);
    expect(selectPages(6, { targetPages: '2,5-9' })).toEqual([1, 4, 5]);
    expect(selectPages(6, { targetPages: '2,5-9', maxPages: 2 })).toEqual([1, 4]);
    expect(selectPages(10_000_000, { targetPages: '1-999999999', maxPages: 1 })).toEqual([0]);
  });
});
