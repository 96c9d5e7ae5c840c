import type { PageRange } from '#src/documents/page-selection.ts';

/**
 * Maximum number of parts into which a file is divided. A pipeline processes no more items at once, so
 * further parts would only open the file more often.
 */
const MAX_PARTS = 16;

/** Divides the missing page ranges of a large file evenly into parts of consecutive ranges. */
export function groupIntoParts(missing: PageRange[]): PageRange[] {
  const most = Math.ceil(missing.length / MAX_PARTS);
  const parts: (PageRange & { ranges: number })[] = [];
  for (const { from, to } of missing) {
    const last = parts.at(-1);
    if (last?.to !== from || last.ranges === most) parts.push({ from, to, ranges: 1 });
    else Object.assign(last, { to, ranges: last.ranges + 1 });
  }
  return parts.map(({ from, to }) => ({ from, to }));
}
