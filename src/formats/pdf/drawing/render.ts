import type { EncodedImage } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { ReadingOptions } from '#src/formats/shared/open-document.ts';
import { encodePng, type Pixels } from '#src/images/png.ts';
import { readBitmapPixels, readGrayRows } from '../engine/bitmap.ts';
import type { Engine } from '../engine/engine.ts';
import { MAX_OBJECTS, type PageObjects, readObjects } from '../engine/objects.ts';
import type { PdfSession } from '../engine/session.ts';
import { readFrame } from '../scan.ts';
import { DrawingLimit, type DrawingLimits, DrawingStopped } from './limit.ts';
import { hasTooManyOutlines } from './path-cost.ts';
import { chooseReadingDpi } from './reading-resolution.ts';
import { countTilingPixels } from './tiling-cost.ts';

const BGRX = 3;
const WITH_ANNOTATIONS = 1;
const WHITE = 0xffffffff | 0;
const MAX_DPI = 600;
/** Maximum number of pixels of a bitmap. Each pixel takes four bytes, which are temporarily held twice. */
const MAX_PIXELS = 5_000_000;
/** Maximum number of pixels of decoded pictures. They share the engine's memory with the bitmap. */
const MAX_IMAGE_PIXELS = 8_000_000;
/**
 * Maximum number of stored pixels of all pictures on a page. Decoding cannot be interrupted and takes a
 * second for 200 million pixels.
 */
const MAX_STORED_PIXELS = 400_000_000;
const RETRIES = 3;
/**
 * Maximum number of pixels that a tiling pattern may write. A usual pattern writes each pixel of the page
 * once.
 */
const MAX_TILING_PIXELS = 200_000_000;
/** Result of FPDF_RenderPageBitmap_Start if the page is not finished. */
const RENDER_UNFINISHED = 1;

/**
 * Maximum number of pixels per strip. A page for OCR is drawn in strips, because a bitmap takes four bytes
 * per pixel.
 */
const STRIP_PIXELS = 3_000_000;

/**
 * Draws a page in gray at the resolution for OCR. Drawing in strips makes the size of the page independent of
 * the PDF engine's memory.
 */
export async function renderForReading(
  session: PdfSession,
  index: number,
  options: ReadingOptions,
  limits: Partial<DrawingLimits> = {},
): Promise<EncodedImage> {
  return drawWithRetries(session, index, 1, limits, (shrink, limit) =>
    drawStrips(session, index, options, shrink, limit),
  );
}

/** Draws a page on a white background. Large pages and pages full of pictures get a lower resolution. */
export async function renderPage(
  session: PdfSession,
  index: number,
  dpi = 150,
  limits: Partial<DrawingLimits> = {},
): Promise<EncodedImage> {
  const scale = Math.min(Math.max(dpi, 1), MAX_DPI) / 72;
  return drawWithRetries(session, index, scale, limits, (fit, limit) => draw(session, index, fit, limit));
}

/** Draws a page and retries at a smaller scale if the memory does not suffice. */
async function drawWithRetries(
  session: PdfSession,
  index: number,
  largest: number,
  limits: Partial<DrawingLimits>,
  attemptAt: (scale: number, limit: DrawingLimit) => Promise<EncodedImage>,
): Promise<EncodedImage> {
  session.checkDrawingAllowed(index);
  let scale = largest;
  for (let attempt = 0; ; attempt++) {
    const limit = new DrawingLimit(limits);
    try {
      return await attemptAt(scale, limit);
    } catch (error) {
      if (error instanceof DrawingStopped) throw session.recordStoppedDrawing(index);
      // A trap means that memory was insufficient. The next attempt uses a new engine and, from the second
      // retry on, a smaller scale.
      const isTrap = error instanceof ParseError && error.cause !== undefined;
      // A page that cannot be loaded needs the same memory at any scale.
      if (!isTrap || !limit.hasBegun || attempt >= RETRIES) throw error;
      // The first attempt may have shared memory with a document that has been closed since.
      if (attempt > 0) scale /= 2;
    }
  }
}

async function drawStrips(
  session: PdfSession,
  index: number,
  { fine = false, maxPixels, dpi: fixedDpi }: ReadingOptions,
  shrink: number,
  drawing: DrawingLimit,
): Promise<EncodedImage> {
  const pixels = await session.onPage(index, (engine, _document, page, form) => {
    const frame = readFrame(engine, page);
    const objects = readObjects(engine, page, frame);
    checkObjects(objects, index);
    drawing.hasBegun = true;
    const drawAt = (scale: number) => {
      const width = Math.max(1, Math.floor(frame.width * scale));
      const height = Math.max(1, Math.floor(frame.height * scale));
      checkDrawingCost(session, engine, page, index, frame, scale);
      return drawGray(engine, page, form, { width, height }, drawing);
    };
    const dpi = fixedDpi ?? chooseReadingDpi({ frame, images: objects.images, drawAt }, fine);
    return drawAt(Math.min((dpi * shrink) / 72, Math.sqrt(maxPixels / (frame.width * frame.height))));
  });
  const { width, height } = pixels;
  return { bytes: await encodePng(pixels), mimeType: 'image/png', width, height };
}

function drawGray(
  engine: Engine,
  page: number,
  form: number,
  size: { width: number; height: number },
  drawing: DrawingLimit,
): Pixels {
  const { raw } = engine;
  const { width, height } = size;
  const data = new Uint8Array(width * height);
  const rows = Math.max(1, Math.min(height, Math.floor(STRIP_PIXELS / width)));
  const bitmap = raw.FPDFBitmap_CreateEx(width, rows, BGRX, 0, 0);
  if (bitmap === 0) throw new WebAssembly.RuntimeError('no memory for the bitmap');
  try {
    for (let top = 0; top < height; top += rows) {
      raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, rows, WHITE);
      paint(engine, bitmap, page, form, { ...size, top }, drawing);
      data.set(readGrayRows(engine, bitmap, Math.min(rows, height - top)), top * width);
    }
  } finally {
    // An engine that was stopped within a page is discarded with everything it holds.
    if (!engine.dead) raw.FPDFBitmap_Destroy(bitmap);
  }
  return { width, height, channels: 1, data };
}

/**
 * Throws ParseError if drawing the objects or pictures of a page would take too long. Returns the number of
 * stored pixels of its pictures.
 */
function checkObjects({ images, hasMore }: PageObjects, index: number): number {
  // Drawing a line across the page takes half a millisecond, so the number of objects is limited.
  if (hasMore) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `Page ${index + 1} contains more than ${MAX_OBJECTS} objects.`,
    );
  }
  const held = images.reduce((sum, image) => sum + image.width * image.height, 0);
  if (held <= MAX_STORED_PIXELS) return held;
  throw new ParseError(
    'DOCUMENT_TOO_LARGE',
    `The pictures of page ${index + 1} have ${held} pixels in total. The limit is ${MAX_STORED_PIXELS}.`,
  );
}

async function draw(
  session: PdfSession,
  index: number,
  scale: number,
  drawing: DrawingLimit,
): Promise<EncodedImage> {
  const pixels = await session.onPage(index, (engine, _document, page, form) => {
    const { raw } = engine;
    const frame = readFrame(engine, page);
    const held = checkObjects(readObjects(engine, page, frame), index);
    const limit = held > MAX_IMAGE_PIXELS ? MAX_PIXELS / 2 : MAX_PIXELS;
    const fit = Math.min(scale, Math.sqrt(limit / (frame.width * frame.height)));
    const width = Math.max(1, Math.round(frame.width * fit));
    const height = Math.max(1, Math.round(frame.height * fit));
    drawing.hasBegun = true;
    checkDrawingCost(session, engine, page, index, frame, fit);
    const bitmap = raw.FPDFBitmap_CreateEx(width, height, BGRX, 0, 0);
    if (bitmap === 0) throw new WebAssembly.RuntimeError('no memory for the bitmap');
    try {
      raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
      paint(engine, bitmap, page, form, { width, height, top: 0 }, drawing);
      return readBitmapPixels(engine, bitmap);
    } finally {
      // An engine that was stopped within a page is discarded with everything it holds.
      if (!engine.dead) raw.FPDFBitmap_Destroy(bitmap);
    }
  });
  if (!pixels) throw new ParseError('PDF_IS_BROKEN', `Page ${index + 1} cannot be drawn.`);
  const { width, height } = pixels;
  return { bytes: await encodePng(pixels), mimeType: 'image/png', width, height };
}

/**
 * Draws a page and its form fields, starting at row `top`. Throws DrawingStopped if the limit is reached
 * before the page is finished.
 */
function paint(
  engine: Engine,
  bitmap: number,
  page: number,
  form: number,
  { width, height, top }: { width: number; height: number; top: number },
  limit: DrawingLimit,
): void {
  const { raw, pause } = engine;
  const flags = WITH_ANNOTATIONS;
  engine.limit = limit;
  try {
    const state = raw.FPDF_RenderPageBitmap_Start(bitmap, page, 0, -top, width, height, 0, flags, pause);
    raw.FPDF_RenderPage_Close(page);
    if (state === RENDER_UNFINISHED) throw new DrawingStopped();
    if (form !== 0) raw.FPDF_FFLDraw(form, bitmap, page, 0, -top, width, height, 0, flags);
  } catch (error) {
    engine.dead = true;
    throw error;
  } finally {
    engine.limit = undefined;
  }
}

/**
 * Throws ParseError if a page has an object that PDFium would draw for minutes. PDFium cannot be interrupted
 * within an object.
 */
function checkDrawingCost(
  session: PdfSession,
  engine: Engine,
  page: number,
  index: number,
  frame: { width: number; height: number },
  pixelsPerPoint: number,
): void {
  const refuse = (why: string) =>
    new ParseError('DOCUMENT_TOO_LARGE', `Page ${index + 1} is not drawn because ${why}.`);
  const isEndless = session.tilings.some(
    (tiling) => countTilingPixels(tiling, frame, pixelsPerPoint) > MAX_TILING_PIXELS,
  );
  if (isEndless) throw refuse('the file has a tiling pattern with too many cells for the page');
  if (hasTooManyOutlines(engine, page, pixelsPerPoint))
    throw refuse('its paths and clip paths have too many or too long outlines');
}
