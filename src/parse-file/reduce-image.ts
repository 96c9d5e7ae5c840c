import type { EncodedImage } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { renderForReading } from '#src/formats/pdf/drawing/render.ts';
import { MAX_PDF_BYTES, PdfSession } from '#src/formats/pdf/engine/session.ts';
import { type JpegFrame, jpegFrame } from '#src/images/header.ts';
import { encodePng } from '#src/images/png.ts';
import { PngFault, readPngRows } from '#src/images/png-rows.ts';
import { Shrunk } from '#src/images/shrink.ts';

const COLOURS: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' };

/** The largest sensors of phones have 108 megapixels; more takes longer than a page may. */
const MAX_PIXELS = 120_000_000;
/** Three bytes each, held twice while they are packed, beside the file. */
const REDUCED_TO = 6_000_000;

const refused = (why: string) =>
  new ParseError('DOCUMENT_TOO_LARGE', `The picture cannot be made smaller: ${why}.`);

/**
 * The picture with few enough pixels to be decoded whole, never whole in memory itself. Its orientation stays, as do
 * the proportions. Throws ParseError for one that cannot be read piece by piece.
 */
export async function reduced(image: EncodedImage): Promise<EncodedImage> {
  const { width, height, mimeType } = image;
  if (width * height > MAX_PIXELS)
    throw refused(`it has ${width} x ${height} pixels, and at most ${MAX_PIXELS} are read`);
  if (mimeType === 'image/png') return reducedPng(image);
  if (mimeType === 'image/jpeg') return reducedJpeg(image);
  throw refused(`${mimeType} of ${width} x ${height} pixels can only be read whole`);
}

async function reducedPng(image: EncodedImage): Promise<EncodedImage> {
  const stored = asStored(image);
  const shrunk = new Shrunk(stored, REDUCED_TO);
  try {
    readPngRows(image.bytes, (row, y) => shrunk.add(row, y));
  } catch (error) {
    if (error instanceof PngFault) throw refused(error.message);
    throw error;
  }
  const pixels = shrunk.finish();
  return { ...image, ...asShown(image, pixels), bytes: await encodePng(pixels) };
}

/** The PDF engine decodes pictures row by row while it scales them. */
async function reducedJpeg(image: EncodedImage): Promise<EncodedImage> {
  const frame = jpegFrame(image.bytes);
  if (!frame?.isSequential)
    throw refused('it is a progressive JPEG, which can only be read whole: save it as baseline');
  const file = jpegAsPdf(image.bytes, frame);
  if (!file) throw refused(`it has ${frame.channels} colour channels`);
  if (file.length > MAX_PDF_BYTES)
    throw refused(`it has ${file.length} bytes, and at most ${MAX_PDF_BYTES} are read`);
  const session = new PdfSession(file, 'drawing');
  try {
    const drawn = await renderForReading(session, 0, { dpi: 72, mostPixels: REDUCED_TO });
    return { ...image, ...asShown(image, drawn), mimeType: drawn.mimeType, bytes: drawn.bytes };
  } finally {
    session.close();
  }
}

const isTurned = ({ orientation = 1 }: EncodedImage) => orientation >= 5;

/** Width and height before the orientation, from those as shown; and back. */
const asStored = (image: EncodedImage) => asShown(image, image);

const asShown = (image: EncodedImage, { width, height }: { width: number; height: number }) =>
  isTurned(image) ? { width: height, height: width } : { width, height };

/** A PDF whose only page is this JPEG, one point a pixel; undefined for colours that none has. */
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
