import { z } from 'zod';
import { fromZero, toZero } from '#src/api/compat/legacy-parsing/page-numbers.ts';
import { rejectEmptyArea } from '#src/parse/parameters/pages.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';

const targetPages = z
  .string()
  .max(10_000)
  .superRefine((pages, context) => {
    const { error } = parseParameters.shape.target_pages.safeParse(fromZero(pages));
    for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message });
  })
  .nullish()
  .describe('Pages to read, such as `0,2-4`. The first page is 0.');

/** Parse parameters as older clients send them. They differ from those of the API in the numbers of pages. */
export const flatParameters = z
  .object({ ...parseParameters.shape, target_pages: targetPages })
  .superRefine(rejectEmptyArea);

/** Converts the page numbers of older clients to those of the API. */
export const fromFlat = (given: ParseParameters): ParseParameters => ({
  ...given,
  ...(given.target_pages && { target_pages: fromZero(given.target_pages) }),
});

/** Converts the page numbers of stored parse parameters to those of older clients. */
export const toFlat = (stored: Record<string, unknown>): ParseParameters => {
  const { target_pages: pages } = stored;
  return { ...stored, ...(typeof pages === 'string' && { target_pages: toZero(pages) }) };
};
