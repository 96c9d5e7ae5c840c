import type { Context } from '#src/context.ts';
import { NotFound, Unavailable } from '#src/errors.ts';
import { keys } from '#src/files/keys.ts';
import type { Figure } from '#src/parsing/document.ts';
import { ParseError } from '#src/parsing/errors.ts';
import { RANGE_PAGES, rangesOf } from '#src/parsing/page-selection.ts';
import { openStored } from '#src/parsing/parse-file.ts';
import type { OpenDocument } from '#src/parsing/parser.ts';
import type { FileRow } from './content.ts';
import {
  keepImage,
  parseRequestOf,
  reading,
  type StoredImage,
  shapeOf,
  toStoredImage,
  withoutPages,
} from './page-images.ts';

/** One call looks through a document for this long. What it found is kept, so that the next goes on there. */
const LOOK_BUDGET_MS = 20_000;

/**
 * The figures of a page or of all. Rejects with NotFound beyond the last page, and with a retryable
 * Unavailable while a long document has not been looked through.
 */
export function listFigures(
  ctx: Context,
  file: FileRow,
  pageIndex?: number,
  budgetMs = LOOK_BUDGET_MS,
): Promise<Figure[]> {
  return reading(() => lookThrough(ctx, file, pageIndex, budgetMs).catch(withoutPages));
}

async function lookThrough(
  ctx: Context,
  file: FileRow,
  pageIndex: number | undefined,
  budgetMs: number,
): Promise<Figure[]> {
  const { pageCount } = await shapeOf(ctx, file);
  if (pageIndex !== undefined && pageIndex >= pageCount) {
    throw new NotFound(`Page ${pageIndex} of file`, file.id);
  }
  const end = Date.now() + budgetMs;
  let document: OpenDocument | undefined;
  try {
    const found: Figure[] = [];
    for (const { from, to } of rangesOf(pageCount)) {
      if (pageIndex !== undefined && (pageIndex < from || pageIndex >= to)) continue;
      const key = keys.figureList(file.projectId, file.contentHash ?? '', from);
      let figures = await (await ctx.bucket.get(key))?.json<Figure[]>();
      if (!figures) {
        if (Date.now() >= end) {
          throw new Unavailable(`The figures of ${from} of ${pageCount} pages are known so far. Ask again.`);
        }
        document ??= await openStored(ctx.bucket, parseRequestOf(file));
        figures = await figuresOf(document, from, to);
        await ctx.bucket.put(key, JSON.stringify(figures));
      }
      found.push(...figures);
    }
    return pageIndex === undefined ? found : found.filter((figure) => figure.pageIndex === pageIndex);
  } finally {
    document?.close();
  }
}

async function figuresOf(document: OpenDocument, from: number, to: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (let index = from; index < Math.min(to, from + RANGE_PAGES); index += 1) {
    try {
      figures.push(...(await document.readPage(index)).figures);
    } catch (error) {
      // A page that cannot be read shows no figures; the others do.
      if (!(error instanceof ParseError)) throw error;
    }
  }
  return figures;
}

/** One figure's bytes. Rejects with NotFound when the page has none of that name. */
export function getFigure(
  ctx: Context,
  file: FileRow,
  pageIndex: number,
  name: string,
): Promise<StoredImage> {
  return reading(() => findFigure(ctx, file, pageIndex, name));
}

async function findFigure(
  ctx: Context,
  file: FileRow,
  pageIndex: number,
  name: string,
): Promise<StoredImage> {
  const request = parseRequestOf(file);
  // The page is part of the key: a name is looked for on its own page only.
  const key = keys.figure(file.projectId, request.contentHash, `${pageIndex}/${name}`);
  const stored = await ctx.bucket.head(key);
  if (stored) return toStoredImage(stored, name);
  const missing = () => new NotFound(`Figure ${name} on page ${pageIndex} of file`, file.id);
  const { pageCount } = await shapeOf(ctx, file);
  if (pageIndex >= pageCount) throw missing();
  const document = await openStored(ctx.bucket, request);
  try {
    const page = await document.readPage(pageIndex);
    const isThere = page.figures.some((figure) => figure.name === name);
    const image = isThere ? await document.readFigure(pageIndex, name) : undefined;
    if (!image) throw missing();
    return toStoredImage(await keepImage(ctx.bucket, key, image), name);
  } finally {
    document.close();
  }
}
