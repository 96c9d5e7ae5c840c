import type { Chunk } from './chunker.ts';

type Span = Pick<Chunk, 'startPage' | 'endPage'>;

/** A look-up of the 0-based pages that [start, end) touches; nothing for documents without pages. */
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
