import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import type { Figure } from '#src/documents/document.ts';
import { type PageRange, splitIntoRanges } from '#src/documents/page-selection.ts';
import { NotFound, Unavailable } from '#src/lib/errors.ts';
import {
  buildParseRequest,
  ignoreUnsupported,
  inspectFile,
  type StoredImage,
  toStoredImage,
  withFileErrors,
} from './page-images.ts';

/** Maximum length of a bucket key in bytes. Keys are ASCII, so each character is one byte. */
const MAX_KEY_BYTES = 1024;

/**
 * Maximum time in milliseconds that a call spends on finding figures. Figures that were found are stored, so
 * the next call continues.
 */
const SEARCH_BUDGET_MS = 20_000;

/**
 * Lists the figures of one page or of all pages. Throws NotFound beyond the last page. Throws a retryable
 * Unavailable until all pages of a long document have been searched.
 */
export function listFigures(
  ctx: Context,
  file: FileRow,
  pageIndex?: number,
  budgetMs = SEARCH_BUDGET_MS,
): Promise<Figure[]> {
  return withFileErrors(() => searchFigures(ctx, file, pageIndex, budgetMs).catch(ignoreUnsupported));
}

async function searchFigures(
  ctx: Context,
  file: FileRow,
  pageIndex: number | undefined,
  budgetMs: number,
): Promise<Figure[]> {
  const { pageCount } = await inspectFile(ctx, file);
  if (pageIndex !== undefined && pageIndex >= pageCount) {
    throw new NotFound(`Page ${pageIndex} of file`, file.id);
  }
  const ranges = splitIntoRanges(pageCount).filter(
    ({ from, to }) => pageIndex === undefined || (pageIndex >= from && pageIndex < to),
  );
  let lists = await readStoredLists(ctx, file, ranges);
  const missing = ranges.filter(({ from }) => !lists.has(from));
  if (missing.length > 0 && budgetMs > 0) {
    await ctx.parser.findFigures(buildParseRequest(file), missing, budgetMs);
    lists = new Map([...lists, ...(await readStoredLists(ctx, file, missing))]);
  }
  const unknown = ranges.find(({ from }) => !lists.has(from));
  if (unknown) {
    throw new Unavailable(
      `The figures of ${unknown.from} of ${pageCount} pages have been found so far. Repeat the request.`,
    );
  }
  const found = ranges.flatMap(({ from }) => lists.get(from) ?? []);
  return pageIndex === undefined ? found : found.filter((figure) => figure.pageIndex === pageIndex);
}

/** Reads the figures that were already found. Each list is stored under the first page of its page range. */
async function readStoredLists(
  ctx: Context,
  file: FileRow,
  ranges: PageRange[],
): Promise<Map<number, Figure[]>> {
  const lists = new Map<number, Figure[]>();
  for (const { from } of ranges) {
    const object = await ctx.bucket.get(keys.figureList(file.projectId, file.contentHash ?? '', from));
    if (object) lists.set(from, await object.json<Figure[]>());
  }
  return lists;
}

/** Returns a figure. Throws NotFound if the page has no figure with this name. */
export function getFigure(
  ctx: Context,
  file: FileRow,
  pageIndex: number,
  name: string,
): Promise<StoredImage> {
  return withFileErrors(() => findFigure(ctx, file, pageIndex, name));
}

async function findFigure(
  ctx: Context,
  file: FileRow,
  pageIndex: number,
  name: string,
): Promise<StoredImage> {
  const request = buildParseRequest(file);
  // The key contains the page, so a figure is found only on its own page.
  const key = keys.figure(file.projectId, request.contentHash, `${pageIndex}/${name}`);
  const missing = () => new NotFound(`Figure ${name.slice(0, 100)} on page ${pageIndex} of file`, file.id);
  if (key.length > MAX_KEY_BYTES) throw missing();
  const stored = await ctx.bucket.head(key);
  if (stored) return toStoredImage(stored, name);
  const { pageCount } = await inspectFile(ctx, file);
  if (pageIndex >= pageCount) throw missing();
  const kept = (await ctx.parser.keepFigure(request, pageIndex, name)) && (await ctx.bucket.head(key));
  if (!kept) throw missing();
  return toStoredImage(kept, name);
}
