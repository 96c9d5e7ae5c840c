import { PageRangeError, selectPages } from '#src/lib/page-ranges.ts';
import { ParseError } from './errors.ts';
import type { ParseParameters } from './parameters.ts';

/** Pages of a document, [from, to), 0-based. */
export interface PageRange {
  from: number;
  to: number;
}

/** Pages are stored, parsed and sent to workers in ranges of this many. */
export const RANGE_PAGES = 32;

/** The 0-based indexes of the pages that the parameters ask for. */
export function wantedPages(pageCount: number, parameters: ParseParameters): ReadonlySet<number> {
  try {
    const { target_pages: targetPages, max_pages: maxPages } = parameters;
    return new Set(selectPages(pageCount, { targetPages, maxPages: maxPages || null }));
  } catch (error) {
    if (error instanceof PageRangeError)
      throw new ParseError('NO_DATA_FOUND_IN_FILE', `target_pages: ${error.message}`);
    throw error;
  }
}

/** The ranges of the pages up to `pageCount`, or of those from the start of a range on. */
export function rangesOf(pageCount: number, start = 0): PageRange[] {
  const ranges: PageRange[] = [];
  for (let from = start; from < pageCount; from += RANGE_PAGES) {
    ranges.push({ from, to: Math.min(from + RANGE_PAGES, pageCount) });
  }
  return ranges;
}
