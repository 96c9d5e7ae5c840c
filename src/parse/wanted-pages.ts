import { ParseError } from '#src/documents/errors.ts';
import { PageRangeError, selectPages } from '#src/lib/text/page-ranges.ts';
import type { ParseParameters } from './parameters/parameters.ts';

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
