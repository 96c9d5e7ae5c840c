import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsePageRanges } from '#src/lib/text/page-ranges.ts';
import { pagesForClient, pagesFromClient } from '#src/vocabulary/pages.ts';

it.each([
  ['0', '1'],
  ['0,2-4', '1,3-5'],
  [' 0 - 4 , 9 ', ' 1 - 5 , 10 '],
  ['007', '8'],
])('client pages %j are the pages %j', (client, neutral) => {
  expect(pagesFromClient(client)).toBe(neutral);
});

it.each(['', ' ', '-1', '3-1', 'all', '1-', '1-2-3', '1;2', '١'])('%j is unchanged and rejected', (text) => {
  expect(pagesFromClient(text)).toBe(text);
  expect(() => parsePageRanges(text)).toThrow();
});

it('keeps an invalid part as sent', () => {
  expect(() => parsePageRanges(pagesFromClient('0,3-1'))).toThrow('"3-1" ends before it starts');
});

it('converts back to the same text and one-based pages', () => {
  const range = fc.tuple(fc.nat(5000), fc.nat(5000)).map(([from, more]) => `${from}-${from + more}`);
  const text = fc.array(fc.oneof(range, fc.nat(9999).map(String)), { minLength: 1 });
  fc.assert(
    fc.property(text, (parts) => {
      const client = parts.join(',');
      expect(pagesForClient(pagesFromClient(client))).toBe(client);
      const first = Math.min(...parts.map((part) => Number(part.split('-')[0])));
      expect(parsePageRanges(pagesFromClient(client))[0]!.first).toBe(first + 1);
    }),
  );
});
