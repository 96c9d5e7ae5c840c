import { Zlib } from 'fflate';
import type { EncodedImage } from '#src/documents/document.ts';
import { jpegFrame } from '#src/images/header.ts';
import { PngFault, readPngRows } from '#src/images/png-rows.ts';
import type { PdfObjects } from './objects.ts';

const JPEG_COLOURS: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' };
/** What a picture with transparency may have, whose pixels are packed anew. */
const MOST_PIXELS = 40_000_000;

/** The picture as an object of the file; undefined for formats that a PDF cannot hold, and for damaged ones. */
export function imageObject(
  file: PdfObjects,
  at: number,
  { bytes, mimeType, width, height }: EncodedImage,
): Uint8Array | undefined {
  if (mimeType === 'image/jpeg') return jpegObject(file, at, bytes);
  if (mimeType !== 'image/png' || width * height > MOST_PIXELS) return undefined;
  try {
    return pngObject(file, at, bytes, width, height);
  } catch (error) {
    if (!(error instanceof PngFault)) throw error;
    return undefined;
  }
}

const dictionary = (width: number, height: number, colours: string, filter: string) =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace ${colours} /BitsPerComponent 8 /Filter ${filter}`;

function jpegObject(file: PdfObjects, at: number, bytes: Uint8Array): Uint8Array | undefined {
  const frame = withoutFault(() => jpegFrame(bytes));
  const colours = frame && JPEG_COLOURS[frame.channels];
  if (!colours) return undefined;
  // Programs that write four colours into a JPEG write them inverted.
  const decode = frame.channels === 4 ? ' /Decode [1 0 1 0 1 0 1 0]' : '';
  return file.stream(at, dictionary(frame.width, frame.height, colours, `/DCTDecode${decode}`), bytes);
}

function withoutFault<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** On white, row by row: neither the pixels nor the transparency are held. */
function pngObject(
  file: PdfObjects,
  at: number,
  bytes: Uint8Array,
  width: number,
  height: number,
): Uint8Array {
  const packed: Uint8Array[] = [];
  const pack = new Zlib({ level: 6 }, (chunk) => packed.push(chunk));
  const rows = Math.max(1, Math.floor(65_536 / (width * 3)));
  let block = new Uint8Array(rows * width * 3);
  let filled = 0;
  readPngRows(bytes, (rgba, y) => {
    for (let x = 0; x < width; x++) {
      block[filled++] = rgba[x * 4]!;
      block[filled++] = rgba[x * 4 + 1]!;
      block[filled++] = rgba[x * 4 + 2]!;
    }
    if (filled < block.length && y < height - 1) return;
    pack.push(block.subarray(0, filled), y === height - 1);
    block = new Uint8Array(rows * width * 3);
    filled = 0;
  });
  const whole = new Uint8Array(packed.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let to = 0;
  for (const chunk of packed) {
    whole.set(chunk, to);
    to += chunk.byteLength;
  }
  return file.stream(at, dictionary(width, height, '/DeviceRGB', '/FlateDecode'), whole);
}
