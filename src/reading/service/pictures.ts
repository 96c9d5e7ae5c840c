import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { Box, Page } from '#src/documents/document.ts';
import { cropPng, pngSize } from '#src/images/crop-png.ts';
import { PngFault } from '#src/images/png-rows.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import type { FileRequest } from '#src/parse/service.ts';
import type { PagePart } from '#src/reading/pictures/areas.ts';
import { PageFailure, type PagePicture } from '#src/reading/read-page.ts';

/** The parser draws for so long at a time; others get their turn between. */
const DRAWING_MS = 5_000;
/** Bytes of an image that is shown to a model: endpoints take some five million. */
const LARGEST_IMAGE = 4 * 1024 * 1024;
/** The share of a page from which on a part is the page. */
const NEARLY_ALL = 0.95;

/** Draws those of the pages that have no picture yet. One that cannot be drawn has none afterwards. */
export async function drawMissing(
  ctx: Context,
  request: FileRequest,
  indexes: readonly number[],
  checkpoint: () => Promise<void>,
): Promise<void> {
  for (let left = indexes; left.length > 0; ) {
    const missing = await undrawn(ctx.bucket, request, left);
    // A turn that drew nothing met only pages that cannot be drawn.
    if (missing.length === 0 || (left !== indexes && missing.length === left.length)) return;
    await checkpoint();
    await ctx.parser.drawPages(request, missing, DRAWING_MS);
    left = missing;
  }
}

async function undrawn(
  bucket: R2Bucket,
  request: FileRequest,
  indexes: readonly number[],
): Promise<number[]> {
  const there = await inParallel(indexes, (index) => bucket.head(keyOf(request, index)));
  return indexes.filter((_, at) => !there[at]);
}

/** What a model is shown of a page. */
export interface PageSeen {
  picture: PagePicture;
  /** The part of the page that it shows; absent: all of it. */
  seen?: Box;
  /** Parts of the page, each with its own picture where there is one. */
  pictures: { part: PagePart; picture: PagePicture | undefined }[];
}

/** The page's picture without what the parameters cut off, and those of its parts. */
export async function pageSeen(
  ctx: Context,
  request: FileRequest,
  page: Page,
  parts: readonly PagePart[],
): Promise<PageSeen> {
  const object = await ctx.bucket.get(keyOf(request, page.index));
  if (!object) throw new PageFailure('The page cannot be drawn, so no model can look at it.');
  const picture = await pictureOf(object);
  const boxes = [...(page.area ? [page.area] : []), ...parts.flatMap(({ box }) => box ?? [])];
  const cuts = boxes.length > 0 ? await cutOut(picture, page, boxes) : [];
  const whole = page.area ? cuts.shift() : picture;
  if (!whole) throw new PageFailure('The page cannot be cut as its parameters ask.');
  const pictures: PageSeen['pictures'] = [];
  for (const part of parts) {
    pictures.push({ part, picture: part.box ? cuts.shift() : await imageOf(ctx, request, page, part) });
  }
  return { picture: whole, ...(page.area && { seen: page.area }), pictures };
}

async function pictureOf(object: R2ObjectBody): Promise<PagePicture> {
  const bytes = new Uint8Array(await object.arrayBuffer());
  return { bytes, mimeType: object.httpMetadata?.contentType ?? 'image/png' };
}

/** The boxes cut out of a page's picture; of one that is no PNG only what is all of it. */
async function cutOut(
  picture: PagePicture,
  { width, height }: Page,
  boxes: readonly Box[],
): Promise<(PagePicture | undefined)[]> {
  const isWhole = ({ w, h }: Box) => w * h >= NEARLY_ALL * width * height;
  if (picture.mimeType !== 'image/png') return boxes.map((box) => (isWhole(box) ? picture : undefined));
  const size = pngSize(picture.bytes);
  const [across, down] = [size.width / width, size.height / height];
  try {
    const areas = boxes.map(({ x, y, w, h }) => ({
      x: x * across,
      y: y * down,
      width: w * across,
      height: h * down,
    }));
    const parts = await cropPng(picture.bytes, areas);
    return parts.map((part) => part && { bytes: part.bytes, mimeType: 'image/png' });
  } catch (error) {
    if (!(error instanceof PngFault)) throw error;
    return boxes.map(() => undefined);
  }
}

/** An image of the file that has no place on its page. */
async function imageOf(
  { bucket, parser }: Context,
  request: FileRequest,
  { index }: Page,
  { name }: PagePart,
): Promise<PagePicture | undefined> {
  if (name === undefined) return undefined;
  const key = keys.figure(request.projectId, request.contentHash, `${index}/${name}`);
  if (!(await bucket.head(key))) await parser.keepFigure(request, index, name);
  const object = await bucket.get(key);
  return object && object.size <= LARGEST_IMAGE ? pictureOf(object) : undefined;
}

const keyOf = ({ projectId, contentHash }: FileRequest, index: number) =>
  keys.screenshot(projectId, contentHash, index);
