import { z } from 'zod';
import { pageQuery } from '#src/api/operation/schemas.ts';
import { DEFAULT_PAGE_SIZE, parsePageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid } from '#src/lib/errors.ts';

/**
 * Paging parameters of the tools. Pages are smaller than in the HTTP API, because a model reads every item.
 */
export const pageInput = pageQuery.extend({
  page_size: z
    .number()
    .int()
    .min(1)
    .max(100)
    .nullish()
    .describe(`Maximum number of items per page. Default: ${DEFAULT_PAGE_SIZE}.`),
});

/**
 * Returns a sentence that tells the model how to request the next page. Returns an empty text after the last
 * page.
 */
export const goOn = (token: string | null | undefined) =>
  token ? `\n\nThere is more: call again with page_token ${token}` : '';

export const FORMATS = ['markdown', 'text'] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Position in the text of a file. Pages are numbered from 1, and the offset counts the characters of the
 * page.
 */
export interface Place {
  page: number;
  offset: number;
  lastPage: number;
  format: Format;
}

export const placeToken = ({ page, offset, lastPage, format }: Place) =>
  encodeCursor([page, offset, lastPage, format]);

/**
 * Parses a page token. Returns undefined if there is no token, and throws Invalid if it is not a position in
 * this file.
 */
export function readPlace(token: string | null | undefined, pageCount: number): Place | undefined {
  const key = parsePageToken(token, ['number', 'number', 'number', 'string'], ['body', 'page_token']);
  if (!key) return undefined;
  const [page, offset, lastPage, name] = key;
  const format = FORMATS.find((each) => each === name);
  const isPlace =
    [page, offset, lastPage].every(Number.isSafeInteger) &&
    page >= 1 &&
    page <= lastPage &&
    lastPage <= pageCount &&
    offset >= 0;
  if (!isPlace || !format)
    throw Invalid.field(['page_token'], 'must be the next_page_token of a call for this file');
  return { page, offset, lastPage, format };
}
