/** Page range of a document, 0-based: `from` inclusive, `to` exclusive. */
export interface PageRange {
  from: number;
  to: number;
}

/** Number of pages in a range. Pages are stored, parsed and distributed in ranges. */
export const RANGE_PAGES = 32;

/** Returns the ranges of the pages up to `pageCount`, from the range that starts at `start`. */
export function rangesOf(pageCount: number, start = 0): PageRange[] {
  const ranges: PageRange[] = [];
  for (let from = start; from < pageCount; from += RANGE_PAGES) {
    ranges.push({ from, to: Math.min(from + RANGE_PAGES, pageCount) });
  }
  return ranges;
}
