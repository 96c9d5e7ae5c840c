import type { Chunk } from './chunker.ts';

type Span = Pick<Chunk, 'startPage' | 'endPage'>;

/**
 * Returns a function that finds the 0-based pages that a range touches. For documents without pages, the
 * function returns an empty object.
 */
export function createPageLookup(pageStarts: readonly number[]): (start: number, end: number) => Span {
  const pageAt = (offset: number): number => {
    let low = 0;
    let high = pageStarts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pageStarts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  };
  return (start, end) =>
    pageStarts.length === 0 ? {} : { startPage: pageAt(start), endPage: pageAt(Math.max(start, end - 1)) };
}

/**
 * Adds a page for text before the first given page. Equal page starts are kept, because blank pages count in
 * page numbers.
 */
export function addLeadingPage(pageStarts: number[]): number[] {
  return (pageStarts[0] ?? 0) > 0 ? [0, ...pageStarts] : pageStarts;
}
