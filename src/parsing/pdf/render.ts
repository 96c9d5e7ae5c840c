import type { EncodedImage } from '#src/parsing/document.ts';
import { ParseError } from '#src/parsing/errors.ts';
import { encodePng } from '#src/parsing/image/png.ts';
import { bitmapPixels } from './bitmap.ts';
import { MAX_OBJECTS, readObjects } from './objects.ts';
import { readFrame } from './scan.ts';
import type { PdfSession } from './session.ts';

const BGRX = 3;
const WITH_ANNOTATIONS = 1;
const WHITE = 0xffffffff | 0;
const MAX_DPI = 600;
/** Four bytes a pixel are held twice over for a moment. */
const MAX_PIXELS = 5_000_000;
/** Decoded pictures share the engine's memory with the bitmap. */
const MAX_IMAGE_PIXELS = 8_000_000;
/** Pixels of all pictures of a page as they are in the file: drawing decodes them in one go, a second for 200 million. */
const MAX_STORED_PIXELS = 400_000_000;
const RETRIES = 2;

/** Draws the page on white. Large pages and pages full of pictures come out at a lower resolution. */
export async function renderPage(session: PdfSession, index: number, dpi = 150): Promise<EncodedImage> {
  let scale = Math.min(Math.max(dpi, 1), MAX_DPI) / 72;
  for (let attempt = 0; ; attempt++) {
    try {
      return await draw(session, index, scale);
    } catch (error) {
      // A trap means the memory did not suffice: the next, smaller attempt runs in a fresh engine.
      if (!(error instanceof ParseError) || error.cause === undefined || attempt >= RETRIES) throw error;
      scale /= 2;
    }
  }
}

async function draw(session: PdfSession, index: number, scale: number): Promise<EncodedImage> {
  const pixels = await session.onPage(index, (engine, _document, page, form) => {
    const { raw } = engine;
    const frame = readFrame(engine, page);
    const { images, hasMore } = readObjects(engine, page, frame);
    // A stroke across the page takes half a millisecond, and nothing ends the drawing that has begun.
    if (hasMore) {
      throw new ParseError('DOCUMENT_TOO_LARGE', `page ${index + 1} shows more than ${MAX_OBJECTS} objects`);
    }
    const held = images.reduce((sum, image) => sum + image.width * image.height, 0);
    if (held > MAX_STORED_PIXELS) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `page ${index + 1} shows pictures of ${held} pixels; the limit is ${MAX_STORED_PIXELS}`,
      );
    }
    const limit = held > MAX_IMAGE_PIXELS ? MAX_PIXELS / 2 : MAX_PIXELS;
    const fit = Math.min(scale, Math.sqrt(limit / (frame.width * frame.height)));
    const width = Math.max(1, Math.round(frame.width * fit));
    const height = Math.max(1, Math.round(frame.height * fit));
    const bitmap = raw.FPDFBitmap_CreateEx(width, height, BGRX, 0, 0);
    if (bitmap === 0) throw new WebAssembly.RuntimeError('no memory for the bitmap');
    try {
      raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
      raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, WITH_ANNOTATIONS);
      if (form !== 0) raw.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, WITH_ANNOTATIONS);
      return bitmapPixels(engine, bitmap);
    } finally {
      raw.FPDFBitmap_Destroy(bitmap);
    }
  });
  if (!pixels) throw new ParseError('PDF_IS_BROKEN', `page ${index + 1} cannot be drawn`);
  const { width, height } = pixels;
  return { bytes: await encodePng(pixels), mimeType: 'image/png', width, height };
}
