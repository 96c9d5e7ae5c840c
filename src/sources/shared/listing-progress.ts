import { sha256 } from '#src/lib/secrets/hash.ts';
import { SourceError } from '#src/ports/source.ts';

/**
 * Progress of a data source's listing. It is stored in front of the content system's cursor, so it survives a
 * restart.
 */
interface Progress {
  pages: number;
  /** Number of items that could not be read so far in this listing. */
  leftOut: number;
  /**
   * Fingerprint of an earlier cursor. A listing that reaches the same cursor again would never end. Empty
   * before the first page.
   */
  mark: string;
  /** Cursor of the data source's listing. `null` before the first page. */
  cursor: string | null;
}

/**
 * Maximum number of pages of a listing. With 1,000 objects per page, the limit allows a bucket with a hundred
 * million objects.
 */
const MAX_PAGES = 100_000;
const FORMAT = /^(\d{1,9}) (\d{1,9}) ([\da-f]{16}) (.*)$/s;

/**
 * Parses a cursor that `writeProgress` wrote. Earlier releases stored only the data source's own cursor,
 * which is accepted too.
 */
export async function readProgress(given: string | null): Promise<Progress> {
  if (given === null) return { pages: 0, leftOut: 0, mark: '', cursor: null };
  const [, pages, leftOut, mark, cursor] = FORMAT.exec(given) ?? [];
  if (cursor === undefined) {
    return { pages: 1, leftOut: 0, mark: await computeFingerprint(given), cursor: given };
  }
  return { pages: Number(pages), leftOut: Number(leftOut), mark: mark!, cursor };
}

/**
 * Counts a page of a listing and returns the next cursor with the progress. Throws a SourceError if a cursor
 * repeats or the listing has too many pages. Brent's algorithm detects cycles with a single fingerprint,
 * taken from the last page whose number is a power of two.
 */
export async function writeProgress(
  name: string,
  { pages: before, leftOut, mark, cursor }: Progress,
  next: string,
  maxPages = MAX_PAGES,
): Promise<string> {
  const pages = before + 1;
  const fresh = await computeFingerprint(next);
  if (next === cursor || fresh === mark) {
    throw createEndlessListingError(`The data source (${name}) returned a page of its listing twice`);
  }
  if (pages >= maxPages) {
    throw createEndlessListingError(
      `The listing of the data source (${name}) did not end after ${maxPages} pages`,
    );
  }
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  return `${pages} ${leftOut} ${isPowerOfTwo ? fresh : mark} ${next}`;
}

const createEndlessListingError = (what: string) =>
  new SourceError(`${what}, so the listing was stopped. No file was removed.`, { retryable: false });

const computeFingerprint = async (cursor: string) => (await sha256(cursor)).slice(0, 16);
