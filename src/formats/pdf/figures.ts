import type { EncodedImage, Figure } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { encodePng, type Pixels } from '#src/images/png.ts';
import { bitmapPixels } from './engine/bitmap.ts';
import type { Engine } from './engine/engine.ts';
import { copyOut, floats, readBytes } from './engine/engine.ts';
import { type ImageObject, readObjects } from './engine/objects.ts';
import type { PdfSession } from './engine/session.ts';
import { toBox } from './geometry.ts';
import type { ImageArea, PageScan } from './scan.ts';
import { readFrame } from './scan.ts';

export const MAX_FIGURES_PER_PAGE = 64;
/**
 * Maximum pixels of a figure that is decoded and stored as PNG. Larger ones are reduced. Plain JPEGs are
 * stored unchanged.
 */
const MAX_PIXELS = 4_000_000;
/**
 * Maximum pixels, as stored in the file, of a picture that is decoded, because decoding cannot be
 * interrupted. A4 at 600 dpi has 35 million, and 100 million take half a second.
 */
const MAX_STORED_PIXELS = 150_000_000;
/** Bytes of pictures after which a visit of a page ends, so that the pictures can be encoded. */
const VISIT_BYTES = 4 * 1024 * 1024;
const SMALLEST_SIDE = 12;
const SMALLEST_SHARE = 0.002;
const LONGEST_ASPECT = 15;

export const figureName = (pageIndex: number, index: number, mimeType: Figure['mimeType']) =>
  `page_${pageIndex + 1}_figure_${index + 1}.${mimeType === 'image/jpeg' ? 'jpg' : 'png'}`;

type Stored = { jpeg: Uint8Array; width: number; height: number } | { pixels: Pixels | undefined };

/** Returns the picture as stored if it is a plain JPEG, otherwise its pixels as PNG. */
export async function readImage(
  session: PdfSession,
  pageIndex: number,
  index: number,
): Promise<EncodedImage | undefined> {
  for await (const image of readImages(session, pageIndex, index, index + 1)) return image;
  return undefined;
}

/**
 * Yields the page's pictures from `from` to `to` (exclusive); undefined for each that cannot be decoded. A
 * visit reads all objects of the page, of which there may be tens of thousands, so it takes as many pictures
 * as memory allows.
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
        return storedImages(engine, document, page, images.slice(next, end));
      });
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      // Reading one by one shows which picture broke the visit.
      stored = end === next + 1 ? [{ pixels: undefined }] : [];
      oneByOne = true;
      if (stored.length === 0) continue;
    }
    if (stored.length === 0) return;
    for (const image of stored) yield encode(image);
    next += stored.length;
  }
}

/** Returns how many of the page's first pictures cannot be decoded. The engine draws them empty. */
export function undecodable(engine: Engine, page: number, most: number): number {
  const { raw } = engine;
  const { images } = readObjects(engine, page, readFrame(engine, page));
  return images.slice(0, most).filter(({ object, width, height }) => {
    if (width * height > MAX_STORED_PIXELS) return true;
    const bitmap = raw.FPDFImageObj_GetBitmap(object);
    if (bitmap !== 0) raw.FPDFBitmap_Destroy(bitmap);
    return bitmap === 0;
  }).length;
}

/** Returns the first pictures, until they take `VISIT_BYTES` together. */
function storedImages(engine: Engine, document: number, page: number, images: ImageObject[]): Stored[] {
  const stored: Stored[] = [];
  let bytes = 0;
  for (const image of images) {
    const jpeg = plainJpeg(engine, image.object);
    const { width, height } = image;
    if (jpeg) stored.push({ jpeg, width, height });
    else if (width * height > MAX_STORED_PIXELS) stored.push({ pixels: undefined });
    else stored.push({ pixels: imagePixels(engine, document, page, image) });
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

function plainJpeg(engine: Engine, object: number): Uint8Array | undefined {
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
    return jpegComponents(bytes) === 3 || jpegComponents(bytes) === 1 ? bytes : undefined;
  } finally {
    raw.free(buffer);
  }
}

/**
 * Returns the number of colour components of a JPEG. CMYK pictures look different in each viewer, so only
 * gray and three-component JPEGs are kept unchanged.
 */
function jpegComponents(bytes: Uint8Array): number | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return bytes[at + 9];
    at += 2 + (bytes[at + 2]! << 8) + bytes[at + 3]!;
  }
  return undefined;
}

function imagePixels(engine: Engine, document: number, page: number, image: ImageObject): Pixels | undefined {
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
    return bitmapPixels(engine, bitmap);
  } finally {
    raw.FPDFBitmap_Destroy(bitmap);
  }
}

/**
 * Returns the confidence that a reader would regard the image as a picture, and whether it is probably
 * decoration.
 */
export function judgeImage(
  image: ImageArea,
  scan: PageScan,
  neighbours: readonly PageScan[],
): Pick<Figure, 'confidence' | 'isLikelyNoise'> {
  const width = image.box.x1 - image.box.x0;
  const height = image.box.y1 - image.box.y0;
  const share = (width * height) / (scan.frame.width * scan.frame.height);
  const aspect = Math.max(width / height, height / width);
  const tiny =
    Math.min(width, height) < SMALLEST_SIDE || share < SMALLEST_SHARE || image.width * image.height < 256;
  if (tiny || aspect > LONGEST_ASPECT) return { confidence: 0.1, isLikelyNoise: true };
  const repeats = neighbours.filter((other) =>
    other.images.some(({ signature }) => signature === image.signature),
  );
  if (repeats.length > 0 && share < 0.5) return { confidence: 0.2, isLikelyNoise: true };
  // A picture behind a page full of text is a scan or background.
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
    name: figureName(pageIndex, index, image.mimeType),
    pageIndex,
    box: toBox(area.box),
    width: image.width,
    height: image.height,
    byteSize: image.bytes.byteLength,
    mimeType: image.mimeType,
    ...judged,
  };
}
