import { keys } from '#src/bucket/keys.ts';
import type { Figure } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { type PageRange, RANGE_PAGES } from '#src/documents/page-selection.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { TimeLimit } from '#src/formats/shared/time-limit.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { disposable, LIMITS, type OpenRequest, openStored } from './parse-file.ts';
import { storeDrawnPage } from './store-drawn-page.ts';
import { storeImage } from './store-image.ts';

/**
 * Draws pages until the time budget in milliseconds is used up. A page that cannot be drawn is skipped.
 * Drawing it alone reports the reason.
 */
export async function drawPagesWithin(
  bucket: R2Bucket,
  request: OpenRequest,
  pageIndexes: number[],
  budgetMs: number,
): Promise<void> {
  const end = Date.now() + budgetMs;
  using document = disposable(await openStored(bucket, request));
  for (const pageIndex of pageIndexes) {
    if (Date.now() >= end) return;
    try {
      await storeDrawnPage(bucket, request, document, pageIndex);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
    }
    await yieldToEventLoop(async () => {});
  }
}

/**
 * Stores the figure lists of ranges until the time budget in milliseconds is used up. The next call continues
 * with the remaining ranges.
 */
export async function findFiguresWithin(
  bucket: R2Bucket,
  request: OpenRequest,
  ranges: PageRange[],
  budgetMs: number,
): Promise<void> {
  const end = Date.now() + budgetMs;
  using document = disposable(await openStored(bucket, request));
  for (const { from, to } of ranges) {
    if (Date.now() >= end) return;
    const key = keys.figureList(request.projectId, request.contentHash, from);
    await bucket.put(key, JSON.stringify(await readFigures(document, from, to)));
  }
}

async function readFigures(document: OpenDocument, from: number, to: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (let index = from; index < Math.min(to, from + RANGE_PAGES); index += 1) {
    try {
      const limit = new TimeLimit(`Page ${index + 1}`, LIMITS.pageMs);
      for (const each of (await document.readPage(index, () => limit.yieldAndCheck())).figures)
        figures.push(each);
    } catch (error) {
      // A page that cannot be read contributes no figures. The figures of the other pages are still stored.
      if (!(error instanceof ParseError)) throw error;
    }
    await yieldToEventLoop(async () => {});
  }
  return figures;
}

/**
 * Stores a figure in the bucket. Returns false if the page has no figure with this name. The key contains the
 * page, because names are only looked up on their own page.
 */
export async function storeFigure(
  bucket: R2Bucket,
  request: OpenRequest,
  pageIndex: number,
  name: string,
): Promise<boolean> {
  using document = disposable(await openStored(bucket, request));
  const page = await document.readPage(pageIndex);
  if (!page.figures.some((figure) => figure.name === name)) return false;
  const image = await document.readFigure(pageIndex, name);
  if (!image) return false;
  const key = keys.figure(request.projectId, request.contentHash, `${pageIndex}/${name}`);
  await storeImage(bucket, key, image);
  return true;
}
