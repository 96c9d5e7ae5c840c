/** Pages of a document, [from, to), 0-based. */
export interface PageRange {
  from: number;
  to: number;
}

/** Pages are stored, parsed and sent to workers in ranges of this many. */
export const RANGE_PAGES = 32;

/** The ranges of the pages up to `pageCount`, or of those from the start of a range on. */
export function rangesOf(pageCount: number, start = 0): PageRange[] {
  const ranges: PageRange[] = [];
  for (let from = start; from < pageCount; from += RANGE_PAGES) {
    ranges.push({ from, to: Math.min(from + RANGE_PAGES, pageCount) });
  }
  return ranges;
}
