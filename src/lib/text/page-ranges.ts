/** A page selection that cannot be read; the message names the part at fault. */
export class PageRangeError extends Error {
  override readonly name = 'PageRangeError';
}

/** Characters of a selection: some 20,000 single pages. */
export const LONGEST_SELECTION = 100_000;
/** Characters of a part at fault that the error repeats. */
const SHOWN = 40;

export interface PageRange {
  first: number;
  last: number;
}

/**
 * Reads "1,3-5": 1-based pages and inclusive ranges, parted by commas, white space ignored.
 * Ranges come back sorted and without overlaps. Throws PageRangeError.
 */
export function parsePageRanges(text: string): PageRange[] {
  if (text.trim() === '') throw new PageRangeError('page ranges are empty; write pages like "1,3-5"');
  if (text.length > LONGEST_SELECTION) {
    throw new PageRangeError(
      `page ranges may have at most ${LONGEST_SELECTION} characters, not ${text.length}; join pages to ranges like "3-5"`,
    );
  }
  const ranges = text.split(',').map((part) => {
    const piece = part.trim();
    const match = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/.exec(piece);
    const shown = piece.length > SHOWN ? `${piece.slice(0, SHOWN)}…` : piece;
    if (!match) throw new PageRangeError(`"${shown}" is not a page or a range of pages like "3-5"`);
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (first < 1) throw new PageRangeError(`"${piece}" names page 0; pages count from 1`);
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

/** The 0-based indexes that a selection and a cap leave of a document; pages beyond its end are ignored. */
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
