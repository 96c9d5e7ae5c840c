/** Thrown for an invalid page selection. The message quotes the invalid part. */
export class PageRangeError extends Error {
  override readonly name = 'PageRangeError';
}

/** Maximum length of a page selection in characters, enough for some 20,000 single pages. */
export const MAX_SELECTION_LENGTH = 100_000;
/** Maximum number of characters of an invalid part that the error message quotes. */
const MAX_SHOWN_CHARACTERS = 40;

export interface PageRange {
  first: number;
  last: number;
}

/**
 * Parses a page selection such as "1,3-5" into 1-based, inclusive ranges. Parts are separated by commas, and
 * white space is ignored. Returns the ranges sorted and without overlaps. Throws PageRangeError if the
 * selection is invalid.
 */
export function parsePageRanges(text: string): PageRange[] {
  if (text.trim() === '') throw new PageRangeError('page ranges are empty; write pages like "1,3-5"');
  if (text.length > MAX_SELECTION_LENGTH) {
    throw new PageRangeError(
      `page ranges may have at most ${MAX_SELECTION_LENGTH} characters, not ${text.length}; combine pages into ranges like "3-5"`,
    );
  }
  const ranges = text.split(',').map((part) => {
    const piece = part.trim();
    const match = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/.exec(piece);
    const shown = piece.length > MAX_SHOWN_CHARACTERS ? `${piece.slice(0, MAX_SHOWN_CHARACTERS)}…` : piece;
    if (!match) throw new PageRangeError(`"${shown}" is not a page or a range of pages like "3-5"`);
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (first < 1) throw new PageRangeError(`"${piece}" contains page 0; the first page is 1`);
    if (last < first) throw new PageRangeError(`"${piece}" ends before it starts`);
    return { first, last };
  });
  ranges.sort((left, right) => left.first - right.first);
  const merged: PageRange[] = [];
  for (const range of ranges) {
    const previous = merged.at(-1);
    if (previous && range.first <= previous.last + 1) previous.last = Math.max(previous.last, range.last);
    else merged.push({ ...range });
  }
  return merged;
}

/**
 * Returns the 0-based indexes of the pages that a page selection and a maximum number of pages select. Pages
 * after the end of the document are ignored.
 */
export function selectPages(
  pageCount: number,
  options: { targetPages?: string | null | undefined; maxPages?: number | null | undefined },
): number[] {
  const ranges = options.targetPages ? parsePageRanges(options.targetPages) : [{ first: 1, last: pageCount }];
  const most = options.maxPages ?? pageCount;
  const selected: number[] = [];
  for (const { first, last } of ranges) {
    for (let page = first; page <= Math.min(last, pageCount) && selected.length < most; page++) {
      selected.push(page - 1);
    }
  }
  return selected;
}
