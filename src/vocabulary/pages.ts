// Converts page numbers in the `target_pages` of a pipeline's parse parameters. LlamaCloud clients count
// pages from 0, and the service counts from 1.

/**
 * Converts a client's page list, such as "0,2-4", to page numbers of the service. Parts that are not a page
 * range stay unchanged, so that validation rejects them.
 */
export const pagesFromClient = (text: string): string => shiftPages(text, 1);

/** Converts a page list of the service to the page numbers that clients use. */
export const pagesForClient = (text: string): string => shiftPages(text, -1);

const RANGE = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/;

function shiftPages(text: string, by: 1 | -1): string {
  return text
    .split(',')
    .map((part) => {
      const match = RANGE.exec(part);
      if (!match) return part;
      const first = Number(match[1]);
      if (Number(match[2] ?? first) < first || first + by < 0) return part;
      return part.replace(/\d+/g, (page) => String(Number(page) + by));
    })
    .join(',');
}
