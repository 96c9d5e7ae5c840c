// Clients count the pages of `target_pages` in the parse parameters of a pipeline from 0, the service from 1.

/** "0,2-4", as clients mean it, for the service. A part that is no range stays as it is, to be refused as that. */
export const pagesFromClient = (text: string): string => shift(text, 1);

/** The reverse. */
export const pagesForClient = (text: string): string => shift(text, -1);

const RANGE = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/;

function shift(text: string, by: 1 | -1): string {
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
