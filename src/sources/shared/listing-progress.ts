import { sha256 } from '#src/lib/secrets/hash.ts';
import { SourceError } from '#src/ports/source.ts';

/** Progress of a listing. It is stored in front of the source's cursor, so it survives a restart. */
interface Progress {
  /** Number of pages listed so far. */
  pages: number;
  /** Number of unreadable members so far. */
  leftOut: number;
  /** Fingerprint of an earlier cursor. Empty before the first one. */
  mark: string;
  /** Cursor of the source. `null` before the first page. */
  cursor: string | null;
}

/**
 * Maximum number of pages per listing. At 1,000 objects per page, this is enough for a bucket with a hundred
 * million objects.
 */
const MOST_PAGES = 100_000;
const FORMAT = /^(\d{1,9}) (\d{1,9}) ([\da-f]{16}) (.*)$/s;

/**
 * Parses a cursor written by `writeProgress`. Cursors of earlier releases contain only the source's cursor.
 */
export async function readProgress(given: string | null): Promise<Progress> {
  if (given === null) return { pages: 0, leftOut: 0, mark: '', cursor: null };
  const [, pages, leftOut, mark, cursor] = FORMAT.exec(given) ?? [];
  if (cursor === undefined) {
    return { pages: 1, leftOut: 0, mark: await fingerprint(given), cursor: given };
  }
  return { pages: Number(pages), leftOut: Number(leftOut), mark: mark!, cursor };
}

/**
 * Adds a page to the progress and returns the next cursor. Throws a SourceError if the source's cursor
 * repeats or the listing has too many pages.
 * Brent's cycle detection needs only one fingerprint: that of the last page whose number is a power of two.
 */
export async function writeProgress(
  name: string,
  { pages: before, leftOut, mark, cursor }: Progress,
  next: string,
  mostPages = MOST_PAGES,
): Promise<string> {
  const pages = before + 1;
  const fresh = await fingerprint(next);
  if (next === cursor || fresh === mark) {
    throw endless(`The listing of the data source (${name}) leads back to the same page`);
  }
  if (pages >= mostPages) {
    throw endless(`The listing of the data source (${name}) has not ended after ${mostPages} pages`);
  }
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  return `${pages} ${leftOut} ${isPowerOfTwo ? fresh : mark} ${next}`;
}

const endless = (what: string) =>
  new SourceError(`${what}, so it was given up. No file was removed.`, { retryable: false });

const fingerprint = async (cursor: string) => (await sha256(cursor)).slice(0, 16);
