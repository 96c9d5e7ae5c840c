import type { Chunk } from './chunker.ts';

type Span = Pick<Chunk, 'startPage' | 'endPage'>;

/**
 * Creates a lookup of the 0-based pages that [start, end) touches. Returns nothing for documents without
 * pages.
 */
export function pageSpans(pageStarts: readonly number[]): (start: number, end: number) => Span {
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
 * Treats text before the first given page as a page of its own. Equal starts stay, because a blank page
 * counts in page numbers.
 */
export function pagesFromStart(pageStarts: number[]): number[] {
  return (pageStarts[0] ?? 0) > 0 ? [0, ...pageStarts] : pageStarts;
}
