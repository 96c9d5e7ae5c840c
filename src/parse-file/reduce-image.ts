import type { EncodedImage } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { renderForReading } from '#src/formats/pdf/drawing/render.ts';
import { MAX_PDF_BYTES, PdfSession } from '#src/formats/pdf/engine/session.ts';
import { type JpegFrame, readJpegFrame } from '#src/images/header.ts';
import { PictureShrinker } from '#src/images/picture-shrinker.ts';
import { encodePng } from '#src/images/png.ts';
import { PngError, readPngRows } from '#src/images/png-rows.ts';

const COLOURS: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' };

/**
 * Maximum number of pixels of a picture. The largest sensors of phones have 108 megapixels. Larger pictures
 * would take longer than the time limit of a page.
 */
const MAX_PIXELS = 120_000_000;
/**
 * Maximum number of pixels of the reduced picture, which is gray. A page of A4 then has about 290 dots per
 * inch. Each pixel takes one byte, and two bytes while the picture is compressed.
 */
const REDUCED_PIXELS = 11_500_000;

const createReduceError = (why: string) =>
  new ParseError('DOCUMENT_TOO_LARGE', `The picture is too large and cannot be scaled down: ${why}.`);

/**
 * Scales a picture down so that it can be decoded as a whole. The full picture is never held in memory.
 * Orientation and proportions are preserved. Throws ParseError if the picture cannot be read in pieces.
 */
export async function reduceImage(image: EncodedImage): Promise<EncodedImage> {
  const { width, height, mimeType } = image;
  if (width * height > MAX_PIXELS)
    throw createReduceError(`it has ${width} x ${height} pixels, and the limit is ${MAX_PIXELS}`);
  if (mimeType === 'image/png') return reducePng(image);
  if (mimeType === 'image/jpeg') return reduceJpeg(image);
  throw createReduceError(
    `a picture of type ${mimeType} with ${width} x ${height} pixels can only be decoded as a whole`,
  );
}

async function reducePng(image: EncodedImage): Promise<EncodedImage> {
  const stored = toStoredSize(image);
  const shrunk = new PictureShrinker(stored, REDUCED_PIXELS, 1);
  try {
    readPngRows(image.bytes, (row, y) => shrunk.add(row, y));
  } catch (error) {
    if (error instanceof PngError) throw createReduceError(error.message);
    throw error;
  }
  const pixels = shrunk.finish();
  return { ...image, ...swapIfRotated(image, pixels), bytes: await encodePng(pixels) };
}

/** Scales a JPEG down with the PDF engine, which decodes it row by row. */
async function reduceJpeg(image: EncodedImage): Promise<EncodedImage> {
  const frame = readJpegFrame(image.bytes);
  if (!frame?.isSequential)
    throw createReduceError(
      'it is a progressive JPEG, which can only be decoded as a whole; save it as a baseline JPEG',
    );
  const file = jpegAsPdf(image.bytes, frame);
  if (!file) throw createReduceError(`it has ${frame.channels} color channels`);
  if (file.length > MAX_PDF_BYTES)
    throw createReduceError(`it has ${file.length} bytes, and the limit is ${MAX_PDF_BYTES}`);
  const session = new PdfSession(file, 'drawing');
  try {
    const drawn = await renderForReading(session, 0, { dpi: 72, maxPixels: REDUCED_PIXELS });
    return { ...image, ...swapIfRotated(image, drawn), mimeType: drawn.mimeType, bytes: drawn.bytes };
  } finally {
    session.close();
  }
}

const isRotated = ({ orientation = 1 }: EncodedImage) => orientation >= 5;

/** Converts the displayed size of a picture to its stored size, before the orientation is applied. */
const toStoredSize = (image: EncodedImage) => swapIfRotated(image, image);

const swapIfRotated = (image: EncodedImage, { width, height }: { width: number; height: number }) =>
  isRotated(image) ? { width: height, height: width } : { width, height };

/**
 * Creates a PDF whose only page is the JPEG, with one point per pixel. Returns `undefined` for an unsupported
 * number of color channels.
 */
function jpegAsPdf(jpeg: Uint8Array, { width, height, channels }: JpegFrame): Uint8Array | undefined {
  const colours = COLOURS[channels];
  if (!colours) return undefined;
  const encoder = new TextEncoder();
  const show = `${width} 0 0 ${height} 0 0 cm /I Do`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>`,
    `<< /Length ${show.length} >>\nstream\n${show}\nendstream`,
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${colours} /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`,
  ];
  let head = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = head.length;
    head += `${index + 1} 0 obj\n${object}${index < objects.length - 1 ? '\nendobj\n' : ''}`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const end = '\nendstream\nendobj\n';
  const start = head.length + jpeg.length + end.length;
  const tail = `${end}xref\n0 6\n0000000000 65535 f \n${offsets.join('')}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  const file = new Uint8Array(head.length + jpeg.length + tail.length);
  file.set(encoder.encode(head));
  file.set(jpeg, head.length);
  file.set(encoder.encode(tail), head.length + jpeg.length);
  return file;
}
