import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import type { Figure } from '#src/documents/document.ts';
import { type PageRange, rangesOf } from '#src/documents/page-selection.ts';
import { NotFound, Unavailable } from '#src/lib/errors.ts';
import {
  parseRequestOf,
  reading,
  type StoredImage,
  shapeOf,
  toStoredImage,
  withoutPages,
} from './page-images.ts';

/** Maximum length of a bucket key in bytes. Keys are ASCII, so each character is one byte. */
const LONGEST_KEY = 1024;

/**
 * Time budget in milliseconds for searching a document's figures per call. Results are stored, so the next
 * call continues.
 */
const LOOK_BUDGET_MS = 20_000;

/**
 * Lists the figures of one page or of all pages. Rejects with NotFound beyond the last page, and with a
 * retryable Unavailable until a long document has been searched.
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
  const ranges = rangesOf(pageCount).filter(
    ({ from, to }) => pageIndex === undefined || (pageIndex >= from && pageIndex < to),
  );
  let lists = await storedLists(ctx, file, ranges);
  const missing = ranges.filter(({ from }) => !lists.has(from));
  if (missing.length > 0 && budgetMs > 0) {
    await ctx.parser.findFigures(parseRequestOf(file), missing, budgetMs);
    lists = new Map([...lists, ...(await storedLists(ctx, file, missing))]);
  }
  const unknown = ranges.find(({ from }) => !lists.has(from));
  if (unknown) {
    throw new Unavailable(
      `The figures of ${unknown.from} of ${pageCount} pages are known so far. Ask again.`,
    );
  }
  const found = ranges.flatMap(({ from }) => lists.get(from) ?? []);
  return pageIndex === undefined ? found : found.filter((figure) => figure.pageIndex === pageIndex);
}

/** Returns stored lists, keyed by the first page of each searched range. */
async function storedLists(ctx: Context, file: FileRow, ranges: PageRange[]): Promise<Map<number, Figure[]>> {
  const lists = new Map<number, Figure[]>();
  for (const { from } of ranges) {
    const object = await ctx.bucket.get(keys.figureList(file.projectId, file.contentHash ?? '', from));
    if (object) lists.set(from, await object.json<Figure[]>());
  }
  return lists;
}

/** Returns the bytes of a figure. Rejects with NotFound if the page has no figure of that name. */
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
  // The key contains the page, so that a name is only found on its own page.
  const key = keys.figure(file.projectId, request.contentHash, `${pageIndex}/${name}`);
  const missing = () => new NotFound(`Figure ${name.slice(0, 100)} on page ${pageIndex} of file`, file.id);
  if (key.length > LONGEST_KEY) throw missing();
  const stored = await ctx.bucket.head(key);
  if (stored) return toStoredImage(stored, name);
  const { pageCount } = await shapeOf(ctx, file);
  if (pageIndex >= pageCount) throw missing();
  const kept = (await ctx.parser.keepFigure(request, pageIndex, name)) && (await ctx.bucket.head(key));
  if (!kept) throw missing();
  return toStoredImage(kept, name);
}
