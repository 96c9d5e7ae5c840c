import { describe, expect, it } from 'vitest';
import { pageOf, readPageToken } from '#src/db/paging.ts';
import { Invalid } from '#src/lib/errors.ts';

const keyOf = (row: { name: string; at: number }) => [row.at, row.name];
const rows = ['a', 'b', 'c'].map((name, at) => ({ name, at }));

describe('pages', () => {
  it('have a token only when more rows follow, which goes on after the last one shown', () => {
    const page = pageOf(rows, 2, keyOf);
    expect(page.items.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(readPageToken(page.next_page_token, ['number', 'string'])).toEqual([1, 'b']);
    expect(pageOf(rows, 3, keyOf)).toEqual({ items: rows, next_page_token: null });
    expect(pageOf([], 3, keyOf)).toEqual({ items: [], next_page_token: null });
  });

  it('refuse a token of another list, and name where it was', () => {
    const token = pageOf(rows, 2, keyOf).next_page_token;
    expect(() => readPageToken(token, ['string'])).toThrow(Invalid);
    expect(() => readPageToken('x', ['string'], ['body', 'page_token'])).toThrow(/^body\.page_token: /);
    expect(readPageToken(undefined, ['string'])).toBeUndefined();
    expect(readPageToken(null, ['string'])).toBeUndefined();
  });
});
