import { sha256 } from '#src/lib/secrets/hash.ts';
import { SourceError } from '#src/ports/source.ts';

/** How far a listing has come. It is kept in front of the vendor's cursor, so that it outlives the process. */
interface Progress {
  /** Number of pages so far. */
  pages: number;
  /** Number of members that could not be read as entries so far. */
  leftOut: number;
  /** Fingerprint of an earlier cursor; empty before the first one. */
  mark: string;
  /** The vendor's cursor; null before the first page. */
  cursor: string | null;
}

/** More pages than the largest sources have: a bucket gives a hundred million objects in so many. */
const MOST_PAGES = 100_000;
const FORMAT = /^(\d{1,9}) (\d{1,9}) ([\da-f]{16}) (.*)$/s;

/** Reads a cursor that `writeProgress` made. One of an earlier release is the vendor's cursor alone. */
export async function readProgress(given: string | null): Promise<Progress> {
  if (given === null) return { pages: 0, leftOut: 0, mark: '', cursor: null };
  const [, pages, leftOut, mark, cursor] = FORMAT.exec(given) ?? [];
  if (cursor === undefined) {
    return { pages: 1, leftOut: 0, mark: await fingerprint(given), cursor: given };
  }
  return { pages: Number(pages), leftOut: Number(leftOut), mark: mark!, cursor };
}

/**
 * Adds a page to the progress, and gives the cursor to go on from. Throws a SourceError if the vendor's next cursor
 * leads back, or if the listing has too many pages. A circle of any length is found with one fingerprint: that of the
 * page whose number is the last power of two (R. P. Brent's algorithm).
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
