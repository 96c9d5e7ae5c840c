import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { Box, Page } from '#src/documents/document.ts';
import { cropPng, readPngSize } from '#src/images/crop-png.ts';
import { PngError } from '#src/images/png-rows.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import type { FileRequest } from '#src/parse/service.ts';
import type { PictureRegion } from '#src/reading/pictures/regions.ts';
import { PageFailure, type PagePicture } from '#src/reading/read-page.ts';

/**
 * Maximum time in milliseconds that one call may spend on drawing pages, so that other requests are not
 * delayed.
 */
const MAX_DRAWING_MS = 5_000;
/**
 * Maximum size in bytes of a picture that is sent to a language model. Model endpoints accept about five
 * million bytes.
 */
const MAX_IMAGE_BYTES = 4 * 1024 * 1024;
/** Share of the page's area, from 0 to 1, from which a box counts as the whole page. */
const WHOLE_PAGE_SHARE = 0.95;

/** Draws pictures of the pages that have none yet. Pages that cannot be drawn stay without a picture. */
export async function drawMissingPages(
  ctx: Context,
  request: FileRequest,
  indexes: readonly number[],
  checkpoint: () => Promise<void>,
): Promise<void> {
  for (let left = indexes; left.length > 0; ) {
    const missing = await listUndrawnPages(ctx.bucket, request, left);
    // Stops if the previous call drew no page, because the remaining pages cannot be drawn.
    if (missing.length === 0 || (left !== indexes && missing.length === left.length)) return;
    await checkpoint();
    await ctx.parser.drawPages(request, missing, MAX_DRAWING_MS);
    left = missing;
  }
}

async function listUndrawnPages(
  bucket: R2Bucket,
  request: FileRequest,
  indexes: readonly number[],
): Promise<number[]> {
  const screenshots = await inParallel(indexes, (index) => bucket.head(getScreenshotKey(request, index)));
  return indexes.filter((_, at) => !screenshots[at]);
}

export interface PageImages {
  picture: PagePicture;
  /** Part of the page that the picture shows. Undefined if the picture shows the whole page. */
  visibleArea?: Box;
  /**
   * Pictures on the page, such as charts and photos. `picture` is undefined if the image is not available.
   */
  pictures: { part: PictureRegion; picture: PagePicture | undefined }[];
}

/** Returns an image of the page without excluded margins, and images of the pictures on the page. */
export async function loadPageImages(
  ctx: Context,
  request: FileRequest,
  page: Page,
  parts: readonly PictureRegion[],
): Promise<PageImages> {
  const object = await ctx.bucket.get(getScreenshotKey(request, page.index));
  if (!object)
    throw new PageFailure('The page could not be drawn, so no picture of it can be sent to a model.');
  const picture = await readPagePicture(object);
  const boxes = [...(page.area ? [page.area] : []), ...parts.flatMap(({ box }) => box ?? [])];
  const cuts = boxes.length > 0 ? await cropBoxes(picture, page, boxes) : [];
  const pagePicture = page.area ? cuts.shift() : picture;
  if (!pagePicture)
    throw new PageFailure('The picture of the page could not be cropped as the parameters request.');
  const pictures: PageImages['pictures'] = [];
  for (const part of parts) {
    pictures.push({ part, picture: part.box ? cuts.shift() : await readFigure(ctx, request, page, part) });
  }
  return { picture: pagePicture, ...(page.area && { visibleArea: page.area }), pictures };
}

async function readPagePicture(object: R2ObjectBody): Promise<PagePicture> {
  const bytes = new Uint8Array(await object.arrayBuffer());
  return { bytes, mimeType: object.httpMetadata?.contentType ?? 'image/png' };
}

/**
 * Crops boxes from the picture of a page. Only PNG pictures can be cropped. For other formats, the result is
 * `undefined` for each box that is smaller than the page.
 */
async function cropBoxes(
  picture: PagePicture,
  { width, height }: Page,
  boxes: readonly Box[],
): Promise<(PagePicture | undefined)[]> {
  const isWhole = ({ w, h }: Box) => w * h >= WHOLE_PAGE_SHARE * width * height;
  if (picture.mimeType !== 'image/png') return boxes.map((box) => (isWhole(box) ? picture : undefined));
  const size = readPngSize(picture.bytes);
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
    if (!(error instanceof PngError)) throw error;
    return boxes.map(() => undefined);
  }
}

/**
 * Returns an image from the file whose position on the page is unknown. Returns `undefined` if the image is
 * missing or too large.
 */
async function readFigure(
  { bucket, parser }: Context,
  request: FileRequest,
  { index }: Page,
  { name }: PictureRegion,
): Promise<PagePicture | undefined> {
  if (name === undefined) return undefined;
  const key = keys.figure(request.projectId, request.contentHash, `${index}/${name}`);
  if (!(await bucket.head(key))) await parser.keepFigure(request, index, name);
  const object = await bucket.get(key);
  return object && object.size <= MAX_IMAGE_BYTES ? readPagePicture(object) : undefined;
}

const getScreenshotKey = ({ projectId, contentHash }: FileRequest, index: number) =>
  keys.screenshot(projectId, contentHash, index);
