import { describe, expect, it } from 'vitest';
import { buildPage, parsePageToken } from '#src/db/paging.ts';
import { Invalid } from '#src/lib/errors.ts';

const sortKey = (row: { name: string; at: number }) => [row.at, row.name];
const rows = ['a', 'b', 'c'].map((name, at) => ({ name, at }));

describe('paging', () => {
  it('returns a token that continues after the last row, and null on the last page', () => {
    const page = buildPage(rows, 2, sortKey);
    expect(page.items.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(parsePageToken(page.next_page_token, ['number', 'string'])).toEqual([1, 'b']);
    expect(buildPage(rows, 3, sortKey)).toEqual({ items: rows, next_page_token: null });
    expect(buildPage([], 3, sortKey)).toEqual({ items: [], next_page_token: null });
  });

  it('rejects a malformed token or one from another list, and names the field', () => {
    const token = buildPage(rows, 2, sortKey).next_page_token;
    expect(() => parsePageToken(token, ['string'])).toThrow(Invalid);
    expect(() => parsePageToken('x', ['string'], ['body', 'page_token'])).toThrow(/^body\.page_token: /);
    expect(parsePageToken(undefined, ['string'])).toBeUndefined();
    expect(parsePageToken(null, ['string'])).toBeUndefined();
  });
});
