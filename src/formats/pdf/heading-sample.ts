import { ParseError } from '#src/documents/errors.ts';
import type { Outline } from './metadata.ts';
import type { PageScan } from './scan.ts';
import { HeadingStyles } from './text/heading-styles.ts';

/**
 * Number of pages from which the styles of headings are learned. The first two are the title page and the first page
 * of text, and the others are spread over the document.
 */
const SAMPLED_PAGES = 8;
const FIRST_PAGES = 2;
/** Number of words after which no further page is sampled, because the scans stay in memory. */
const MAX_WORDS = 20_000;

/** Returns the indexes of the sampled pages in ascending order. They depend only on the number of pages. */
export function listSampledPages(pageCount: number): number[] {
  if (pageCount <= SAMPLED_PAGES) return [...Array(pageCount).keys()];
  const spread = SAMPLED_PAGES - FIRST_PAGES;
  const step = (pageCount - FIRST_PAGES) / spread;
  return [
    ...Array(FIRST_PAGES).keys(),
    ...Array.from({ length: spread }, (_, at) => FIRST_PAGES + Math.floor(step * (at + 0.5))),
  ];
}

/** Learns the styles of headings from the sampled pages. `turn` is called after each page. */
export async function learnHeadingStyles(
  pageCount: number,
  outline: Outline,
  scan: (index: number) => Promise<PageScan>,
  turn?: () => Promise<void>,
): Promise<HeadingStyles> {
  const scans: PageScan[] = [];
  const outlines: ReadonlyMap<string, number>[] = [];
  let words = 0;
  for (const index of listSampledPages(pageCount)) {
    if (words >= MAX_WORDS) break;
    // A damaged page is skipped. Reading the page reports its error.
    const sampled = await scan(index).catch(ignoreParseError);
    await turn?.();
    if (!sampled) continue;
    scans.push(sampled);
    outlines.push(outline.get(index) ?? new Map());
    words += sampled.words.length;
  }
  return new HeadingStyles(scans, outlines);
}

export function ignoreParseError(error: unknown): undefined {
  if (!(error instanceof ParseError)) throw error;
}
