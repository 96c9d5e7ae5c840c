import { keys } from '#src/bucket/keys.ts';
import type { Figure } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { type PageRange, RANGE_PAGES } from '#src/documents/page-selection.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { TimeLimit } from '#src/formats/shared/time-limit.ts';
import { breathe } from '#src/lib/async/breathe.ts';
import { drawInto } from './draw-into.ts';
import { keepImage } from './keep-image.ts';
import { disposable, LIMITS, type OpenRequest, openStored } from './parse-file.ts';

/** A page that cannot be drawn must not cost the others; drawing it alone tells why. */
export async function drawWithin(
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
      await drawInto(bucket, request, document, pageIndex);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
    }
    await breathe(async () => {});
  }
}

/** What is found is kept, so that the next call goes on there. */
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
    await bucket.put(key, JSON.stringify(await figuresOf(document, from, to)));
  }
}

async function figuresOf(document: OpenDocument, from: number, to: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (let index = from; index < Math.min(to, from + RANGE_PAGES); index += 1) {
    try {
      const limit = new TimeLimit(`Page ${index + 1}`, LIMITS.pageMs);
      for (const each of (await document.readPage(index, () => limit.turn())).figures) figures.push(each);
    } catch (error) {
      // A page that cannot be read shows no figures; the others do.
      if (!(error instanceof ParseError)) throw error;
    }
    await breathe(async () => {});
  }
  return figures;
}

/** The page is part of the key: a name is looked for on its own page only. */
export async function keepFigure(
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
  await keepImage(bucket, key, image);
  return true;
}
