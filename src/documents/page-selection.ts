/** Range of 0-based page indexes. `from` is inclusive and `to` is exclusive. */
export interface PageRange {
  from: number;
  to: number;
}

/** Number of pages that are stored, parsed and distributed together. */
export const RANGE_PAGES = 32;

/** Returns the page ranges of a document with `pageCount` pages, starting at page index `start`. */
export function splitIntoRanges(pageCount: number, start = 0): PageRange[] {
  const ranges: PageRange[] = [];
  for (let from = start; from < pageCount; from += RANGE_PAGES) {
    ranges.push({ from, to: Math.min(from + RANGE_PAGES, pageCount) });
  }
  return ranges;
}
