import { PngError, readPngRows } from '#src/images/png-rows.ts';
import type { Gray } from './gray.ts';

/** Weights of red, green and blue in the brightness of a pixel, in 256ths. */
const [RED, GREEN, BLUE] = [77, 150, 29];

/** Maximum number of pixels. The Worker refuses larger pictures before it decodes them. */
const MAX_PIXELS = 16_000_000;

/** Decodes a PNG to gray pixels. Returns `undefined` if it is damaged or of an unsupported kind. */
export function decodeGrayPng(bytes: Uint8Array): Gray | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33) return undefined;
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  if (width * height > MAX_PIXELS) return undefined;
  const data = new Uint8Array(width * height);
  try {
    readPngRows(bytes, (row, y) => {
      for (let x = 0, from = 0, to = y * width; x < width; x++, from += 4)
        data[to++] = (RED * row[from]! + GREEN * row[from + 1]! + BLUE * row[from + 2]!) >> 8;
    });
  } catch (error) {
    if (error instanceof PngError) return undefined;
    throw error;
  }
  return { width, height, data };
}
