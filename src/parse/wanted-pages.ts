import { ParseError } from '#src/documents/errors.ts';
import { PageRangeError, selectPages } from '#src/lib/text/page-ranges.ts';
import type { PagesPlan } from './plan.ts';

/**
 * Returns the 0-based indexes of the pages that the plan asks for. Throws ParseError if a page range of the
 * plan is invalid.
 */
export function wantedPages(
  pageCount: number,
  { target, most }: Partial<Pick<PagesPlan, 'target' | 'most'>>,
): ReadonlySet<number> {
  try {
    return new Set(selectPages(pageCount, { targetPages: target, maxPages: most ?? null }));
  } catch (error) {
    if (error instanceof PageRangeError)
      throw new ParseError('NO_DATA_FOUND_IN_FILE', `target_pages: ${error.message}`);
    throw error;
  }
}
