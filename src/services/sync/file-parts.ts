import type { PageRange } from '#src/documents/page-selection.ts';

/**
 * Maximum parts of a file. An owner runs no more at once, so further parts would only open the file more
 * often.
 */
const MOST_PARTS = 16;

/** Divides the missing page ranges of a large file evenly into parts of neighbouring ranges. */
export function partsOf(missing: PageRange[]): PageRange[] {
  const most = Math.ceil(missing.length / MOST_PARTS);
  const parts: (PageRange & { ranges: number })[] = [];
  for (const { from, to } of missing) {
    const last = parts.at(-1);
    if (last?.to !== from || last.ranges === most) parts.push({ from, to, ranges: 1 });
    else Object.assign(last, { to, ranges: last.ranges + 1 });
  }
  return parts.map(({ from, to }) => ({ from, to }));
}
