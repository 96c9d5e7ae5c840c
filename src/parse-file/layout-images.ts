import type { Block, Box, EncodedImage, LayoutImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { encodePng } from '#src/images/png.ts';
import { PngFault, readPngRows } from '#src/images/png-rows.ts';
import { SCREENSHOT_DPI } from './keep-image.ts';

/** What a reader looks at as a picture. */
const CUT_OUT: ReadonlySet<Block['type']> = new Set(['table', 'figure']);
const MOST_OF_A_PAGE = 64;
/** Points. Rules and dots are no pictures. */
const SMALLEST = 8;
/** Around what is cut out, so that its frame is whole. Points. */
const MARGIN = 2;

export interface CutOut {
  described: LayoutImage;
  image: EncodedImage;
}

/**
 * The tables and figures of a page, cut out of its picture. None of pages whose blocks have no place: of formats that
 * have no appearance of their own.
 */
export async function cutOut(document: OpenDocument, page: Page): Promise<CutOut[]> {
  const places = page.blocks
    .flatMap(({ type, box }) => (box && CUT_OUT.has(type) ? [{ type, box: within(page, box) }] : []))
    .filter(({ box }) => box.w >= SMALLEST && box.h >= SMALLEST)
    .slice(0, MOST_OF_A_PAGE);
  if (places.length === 0 || !document.renderPage) return [];
  const picture = await document.renderPage(page.index, { dpi: SCREENSHOT_DPI }).catch(withoutPicture);
  if (picture?.mimeType !== 'image/png') return [];
  const counts = new Map<string, number>();
  const found: CutOut[] = [];
  const images = await Promise.all(
    cropped(
      picture,
      page,
      places.map(({ box }) => box),
    ).map(encodePng),
  );
  for (const [at, { type, box }] of places.entries()) {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const pixels = pixelsOf(picture, page, box);
    const image = { bytes: images[at]!, mimeType: 'image/png' as const, width: pixels.w, height: pixels.h };
    const name = `page_${page.index + 1}_layout_${type}_${count}.png`;
    found.push({ described: { name, type, box, byteSize: image.bytes.byteLength }, image });
  }
  return found;
}

function withoutPicture(error: unknown): undefined {
  if (!(error instanceof ParseError)) throw error;
}

function within({ width, height }: Page, { x, y, w, h }: Box): Box {
  const [left, top] = [Math.max(0, x - MARGIN), Math.max(0, y - MARGIN)];
  return {
    x: left,
    y: top,
    w: Math.min(width, x + w + MARGIN) - left,
    h: Math.min(height, y + h + MARGIN) - top,
  };
}

function pixelsOf(picture: EncodedImage, page: Page, { x, y, w, h }: Box): Box {
  const [scaleX, scaleY] = [picture.width / page.width, picture.height / page.height];
  const [left, top] = [Math.floor(x * scaleX), Math.floor(y * scaleY)];
  return {
    x: left,
    y: top,
    w: Math.max(1, Math.min(picture.width, Math.ceil((x + w) * scaleX)) - left),
    h: Math.max(1, Math.min(picture.height, Math.ceil((y + h) * scaleY)) - top),
  };
}

/** The parts of the picture in one go through its rows. */
function cropped(picture: EncodedImage, page: Page, boxes: readonly Box[]) {
  const parts = boxes.map((box) => {
    const { x, y, w, h } = pixelsOf(picture, page, box);
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
    if (error instanceof PngFault) throw new ParseError('FILE_IS_BROKEN', error.message, error);
    throw error;
  }
  return parts;
}
