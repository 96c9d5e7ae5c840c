import type { Block, Box, EncodedImage, LayoutImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { encodePng } from '#src/images/png.ts';
import { PngError, readPngRows } from '#src/images/png-rows.ts';
import { SCREENSHOT_DPI } from './store-image.ts';

/** Block types that are cut out of a page's picture and stored as separate pictures. */
const CUT_OUT: ReadonlySet<Block['type']> = new Set(['table', 'figure']);
const MAX_PER_PAGE = 64;
/** Minimum width and height of a picture in points. Smaller blocks are rules and dots. */
const MIN_SIDE = 8;
/** Margin in points around a cut-out picture, so that its frame is complete. */
const MARGIN = 2;

export interface CutOut {
  described: LayoutImage;
  image: EncodedImage;
}

/**
 * Cuts the tables and figures of a page out of its picture. Returns an empty list if the blocks have no
 * positions, as in formats without a fixed layout.
 */
export async function cutOutImages(document: OpenDocument, page: Page): Promise<CutOut[]> {
  const places = page.blocks
    .flatMap(({ type, box }) => (box && CUT_OUT.has(type) ? [{ type, box: addMargin(page, box) }] : []))
    .filter(({ box }) => box.w >= MIN_SIDE && box.h >= MIN_SIDE)
    .slice(0, MAX_PER_PAGE);
  if (places.length === 0 || !document.renderPage) return [];
  const picture = await document.renderPage(page.index, { dpi: SCREENSHOT_DPI }).catch(ignoreParseError);
  if (picture?.mimeType !== 'image/png') return [];
  const counts = new Map<string, number>();
  const found: CutOut[] = [];
  const images = await Promise.all(
    cropParts(
      picture,
      page,
      places.map(({ box }) => box),
    ).map(encodePng),
  );
  for (const [at, { type, box }] of places.entries()) {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const pixels = toPixels(picture, page, box);
    const image = { bytes: images[at]!, mimeType: 'image/png' as const, width: pixels.w, height: pixels.h };
    const name = `page_${page.index + 1}_layout_${type}_${count}.png`;
    found.push({ described: { name, type, box, byteSize: image.bytes.byteLength }, image });
  }
  return found;
}

function ignoreParseError(error: unknown): undefined {
  if (!(error instanceof ParseError)) throw error;
}

function addMargin({ width, height }: Page, { x, y, w, h }: Box): Box {
  const [left, top] = [Math.max(0, x - MARGIN), Math.max(0, y - MARGIN)];
  return {
    x: left,
    y: top,
    w: Math.min(width, x + w + MARGIN) - left,
    h: Math.min(height, y + h + MARGIN) - top,
  };
}

function toPixels(picture: EncodedImage, page: Page, { x, y, w, h }: Box): Box {
  const [scaleX, scaleY] = [picture.width / page.width, picture.height / page.height];
  const [left, top] = [Math.floor(x * scaleX), Math.floor(y * scaleY)];
  return {
    x: left,
    y: top,
    w: Math.max(1, Math.min(picture.width, Math.ceil((x + w) * scaleX)) - left),
    h: Math.max(1, Math.min(picture.height, Math.ceil((y + h) * scaleY)) - top),
  };
}

/** Crops all parts in a single pass over the rows of the picture. */
function cropParts(picture: EncodedImage, page: Page, boxes: readonly Box[]) {
  const parts = boxes.map((box) => {
    const { x, y, w, h } = toPixels(picture, page, box);
    return { x, y, width: w, height: h, channels: 3 as const, data: new Uint8Array(w * h * 3) };
  });
  try {
    readPngRows(picture.bytes, (rgba, row) => {
      for (const { x, y, width, height, data } of parts) {
        if (row < y || row >= y + height) continue;
        let to = (row - y) * width * 3;
        for (let column = x; column < x + width; column++) {
          data[to++] = rgba[column * 4]!;
          data[to++] = rgba[column * 4 + 1]!;
          data[to++] = rgba[column * 4 + 2]!;
        }
      }
    });
  } catch (error) {
    if (error instanceof PngError) throw new ParseError('FILE_IS_BROKEN', error.message, error);
    throw error;
  }
  return parts;
}
