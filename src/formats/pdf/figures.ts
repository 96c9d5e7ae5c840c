import type { EncodedImage, Figure } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { encodePng, type Pixels } from '#src/images/png.ts';
import { readBitmapPixels } from './engine/bitmap.ts';
import type { Engine } from './engine/engine.ts';
import { copyOut, floats, readBytes } from './engine/engine.ts';
import { type ImageObject, readObjects } from './engine/objects.ts';
import type { PdfSession } from './engine/session.ts';
import { toBox } from './geometry.ts';
import type { ImageArea, PageScan } from './scan.ts';
import { readFrame } from './scan.ts';

export const MAX_FIGURES_PER_PAGE = 64;
/**
 * Maximum number of pixels of a figure that is stored as PNG. Larger figures are scaled down. Plain JPEGs are
 * stored unchanged.
 */
const MAX_PIXELS = 4_000_000;
/**
 * Maximum number of stored pixels of a picture that is decoded, because decoding cannot be interrupted. An A4
 * page at 600 dpi has 35 million pixels, and 100 million take half a second.
 */
const MAX_STORED_PIXELS = 150_000_000;
/** Number of picture bytes after which reading pauses, so that the pictures can be encoded. */
const VISIT_BYTES = 4 * 1024 * 1024;
const MIN_SIDE = 12;
const MIN_SHARE = 0.002;
const MAX_ASPECT_RATIO = 15;

export const buildFigureName = (pageIndex: number, index: number, mimeType: Figure['mimeType']) =>
  `page_${pageIndex + 1}_figure_${index + 1}.${mimeType === 'image/jpeg' ? 'jpg' : 'png'}`;

type Stored = { jpeg: Uint8Array; width: number; height: number } | { pixels: Pixels | undefined };

/**
 * Returns a picture unchanged if it is a plain JPEG, otherwise as PNG. Returns `undefined` if it cannot be
 * decoded.
 */
export async function readImage(
  session: PdfSession,
  pageIndex: number,
  index: number,
): Promise<EncodedImage | undefined> {
  for await (const image of readImages(session, pageIndex, index, index + 1)) return image;
  return undefined;
}

/**
 * Yields the pictures of a page from index `from` up to but not including `to`. Yields `undefined` for a
 * picture that cannot be decoded. Each visit reads all objects of the page, which may be tens of thousands,
 * so it takes as many pictures as memory allows.
 */
export async function* readImages(
  session: PdfSession,
  pageIndex: number,
  from: number,
  to: number,
  turn?: () => Promise<void>,
): AsyncGenerator<EncodedImage | undefined> {
  let oneByOne = false;
  for (let next = from; next < to; ) {
    if (next > from) await turn?.();
    const end = oneByOne ? next + 1 : to;
    let stored: Stored[];
    try {
      stored = await session.onPage(pageIndex, (engine, document, page) => {
        const { images } = readObjects(engine, page, readFrame(engine, page));
        return readStoredImages(engine, document, page, images.slice(next, end));
      });
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      // Reading pictures one by one reveals which of them made the visit fail.
      stored = end === next + 1 ? [{ pixels: undefined }] : [];
      oneByOne = true;
      if (stored.length === 0) continue;
    }
    if (stored.length === 0) return;
    for (const image of stored) yield encode(image);
    next += stored.length;
  }
}

/** Counts how many of the first `most` pictures cannot be decoded. The engine draws such pictures empty. */
export function countUndecodable(engine: Engine, page: number, most: number): number {
  const { raw } = engine;
  const { images } = readObjects(engine, page, readFrame(engine, page));
  return images.slice(0, most).filter(({ object, width, height }) => {
    if (width * height > MAX_STORED_PIXELS) return true;
    const bitmap = raw.FPDFImageObj_GetBitmap(object);
    if (bitmap !== 0) raw.FPDFBitmap_Destroy(bitmap);
    return bitmap === 0;
  }).length;
}

/** Reads the first pictures until they take `VISIT_BYTES` in total. */
function readStoredImages(engine: Engine, document: number, page: number, images: ImageObject[]): Stored[] {
  const stored: Stored[] = [];
  let bytes = 0;
  for (const image of images) {
    const jpeg = readPlainJpeg(engine, image.object);
    const { width, height } = image;
    if (jpeg) stored.push({ jpeg, width, height });
    else if (width * height > MAX_STORED_PIXELS) stored.push({ pixels: undefined });
    else stored.push({ pixels: renderImage(engine, document, page, image) });
    const last = stored.at(-1)!;
    bytes += ('jpeg' in last ? last.jpeg : last.pixels?.data)?.byteLength ?? 0;
    if (bytes >= VISIT_BYTES) break;
  }
  return stored;
}

async function encode(stored: Stored): Promise<EncodedImage | undefined> {
  if ('jpeg' in stored) {
    const { jpeg, width, height } = stored;
    return { bytes: jpeg, mimeType: 'image/jpeg', width, height };
  }
  if (!stored.pixels) return undefined;
  const { width, height } = stored.pixels;
  return { bytes: await encodePng(stored.pixels), mimeType: 'image/png', width, height };
}

function readPlainJpeg(engine: Engine, object: number): Uint8Array | undefined {
  const { raw } = engine;
  if (raw.FPDFImageObj_GetImageFilterCount(object) !== 1) return undefined;
  const name = readBytes(engine, (buffer, length) =>
    raw.FPDFImageObj_GetImageFilter(object, 0, buffer, length),
  );
  if (new TextDecoder().decode(name) !== 'DCTDecode') return undefined;
  const length = raw.FPDFImageObj_GetImageDataRaw(object, 0, 0);
  const buffer = length > 0 ? raw.malloc(length) : 0;
  if (buffer === 0) return undefined;
  try {
    raw.FPDFImageObj_GetImageDataRaw(object, buffer, length);
    const bytes = copyOut(engine, buffer, length);
    return countJpegComponents(bytes) === 3 || countJpegComponents(bytes) === 1 ? bytes : undefined;
  } finally {
    raw.free(buffer);
  }
}

/**
 * Returns the number of color components of a JPEG, or `undefined` if it cannot be read. CMYK pictures look
 * different in each viewer, so only JPEGs with one or three components are stored unchanged.
 */
function countJpegComponents(bytes: Uint8Array): number | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return bytes[at + 9];
    at += 2 + (bytes[at + 2]! << 8) + bytes[at + 3]!;
  }
  return undefined;
}

function renderImage(engine: Engine, document: number, page: number, image: ImageObject): Pixels | undefined {
  const { raw, scratch } = engine;
  const shrink = Math.min(1, Math.sqrt(MAX_PIXELS / (image.width * image.height)));
  const width = Math.max(1, Math.round(image.width * shrink));
  const height = Math.max(1, Math.round(image.height * shrink));
  // The matrix determines the rendered size. It may be changed, because the page is closed afterwards.
  floats(engine, 6).set([width, 0, 0, height, 0, 0]);
  raw.FPDFPageObj_SetMatrix(image.object, scratch);
  const bitmap =
    raw.FPDFImageObj_GetRenderedBitmap(document, page, image.object) ||
    raw.FPDFImageObj_GetBitmap(image.object);
  if (bitmap === 0) return undefined;
  try {
    return readBitmapPixels(engine, bitmap);
  } finally {
    raw.FPDFBitmap_Destroy(bitmap);
  }
}

/**
 * Returns the confidence that a reader would regard the image as a picture, and whether it is probably
 * decoration.
 */
export function rateImage(
  image: ImageArea,
  scan: PageScan,
  neighbours: readonly PageScan[],
): Pick<Figure, 'confidence' | 'isLikelyNoise'> {
  const width = image.box.x1 - image.box.x0;
  const height = image.box.y1 - image.box.y0;
  const share = (width * height) / (scan.frame.width * scan.frame.height);
  const aspect = Math.max(width / height, height / width);
  const tiny = Math.min(width, height) < MIN_SIDE || share < MIN_SHARE || image.width * image.height < 256;
  if (tiny || aspect > MAX_ASPECT_RATIO) return { confidence: 0.1, isLikelyNoise: true };
  const repeats = neighbours.filter((other) =>
    other.images.some(({ signature }) => signature === image.signature),
  );
  if (repeats.length > 0 && share < 0.5) return { confidence: 0.2, isLikelyNoise: true };
  // A picture that covers a page with text is a scan or a background.
  if (share > 0.85) return { confidence: 0.5, isLikelyNoise: scan.words.length > 20 };
  return { confidence: share > 0.02 ? 0.95 : 0.8, isLikelyNoise: false };
}

export function toFigure(
  pageIndex: number,
  index: number,
  area: ImageArea,
  image: EncodedImage,
  judged: Pick<Figure, 'confidence' | 'isLikelyNoise'>,
): Figure {
  return {
    name: buildFigureName(pageIndex, index, image.mimeType),
    pageIndex,
    box: toBox(area.box),
    width: image.width,
    height: image.height,
    byteSize: image.bytes.byteLength,
    mimeType: image.mimeType,
    ...judged,
  };
}
