import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { Box, Page } from '#src/documents/document.ts';
import { cropPng, pngSize } from '#src/images/crop-png.ts';
import { PngFault } from '#src/images/png-rows.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import type { FileRequest } from '#src/parse/service.ts';
import type { PagePart } from '#src/reading/pictures/areas.ts';
import { PageFailure, type PagePicture } from '#src/reading/read-page.ts';

/** Milliseconds of drawing per call, so that others get their turn. */
const DRAWING_MS = 5_000;
/** Maximum bytes of an image for a model. Endpoints accept about five million. */
const LARGEST_IMAGE = 4 * 1024 * 1024;
/** Share of a page from which a part counts as the whole page. */
const NEARLY_ALL = 0.95;

/** Draws pages that have no picture yet. Pages that cannot be drawn stay without. */
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

/** Pictures of a page for a model. */
export interface PageSeen {
  picture: PagePicture;
  /** Part of the page in the picture; absent for the whole page. */
  seen?: Box;
  /** Parts of the page with their pictures, if available. */
  pictures: { part: PagePart; picture: PagePicture | undefined }[];
}

/** Returns the page's picture without the excluded margins, and the pictures of its parts. */
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

/** Cuts boxes out of a page's picture. From a picture that is no PNG only the whole can be taken. */
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

/** Returns an image of the file that has no position on its page. */
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
