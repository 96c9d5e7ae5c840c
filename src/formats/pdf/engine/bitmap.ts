import type { Pixels } from '#src/images/png.ts';
import type { Engine } from './engine.ts';

const FORMAT_GRAY = 1;
const FORMAT_BGR = 2;
const FORMAT_BGRA = 4;

/**
 * Copies a bitmap out of the engine with as few channels as its pixels need. Returns `undefined` for an empty
 * bitmap or an unknown format.
 */
export function readBitmapPixels({ raw }: Engine, bitmap: number): Pixels | undefined {
  const width = raw.FPDFBitmap_GetWidth(bitmap);
  const height = raw.FPDFBitmap_GetHeight(bitmap);
  const stride = raw.FPDFBitmap_GetStride(bitmap);
  const format = raw.FPDFBitmap_GetFormat(bitmap);
  const buffer = raw.FPDFBitmap_GetBuffer(bitmap);
  if (width <= 0 || height <= 0 || buffer === 0 || format < FORMAT_GRAY || format > FORMAT_BGRA)
    return undefined;
  const source = new Uint8Array(raw.memory.buffer, buffer, stride * height);
  if (format === FORMAT_GRAY)
    return { width, height, channels: 1, data: packGray(source, width, height, stride, 1) };
  const step = format === FORMAT_BGR ? 3 : 4;
  const { gray, opaque } = inspectPixels(source, width, height, stride, step, format === FORMAT_BGRA);
  if (gray && opaque)
    return { width, height, channels: 1, data: packGray(source, width, height, stride, step) };
  return opaque
    ? { width, height, channels: 3, data: packColor(source, width, height, stride, step, 3) }
    : { width, height, channels: 4, data: packColor(source, width, height, stride, step, 4) };
}

/**
 * Copies the first rows of a bitmap with four bytes per pixel out of the engine and converts them to gray.
 */
export function readGrayRows({ raw }: Engine, bitmap: number, rows: number): Uint8Array {
  const width = raw.FPDFBitmap_GetWidth(bitmap);
  const stride = raw.FPDFBitmap_GetStride(bitmap);
  const source = new Uint8Array(raw.memory.buffer, raw.FPDFBitmap_GetBuffer(bitmap), stride * rows);
  const data = new Uint8Array(width * rows);
  let to = 0;
  for (let row = 0; row < rows; row++) {
    const end = row * stride + width * 4;
    for (let at = row * stride; at < end; at += 4)
      data[to++] = (2 * source[at]! + 5 * source[at + 1]! + 3 * source[at + 2]!) / 10;
  }
  return data;
}

function inspectPixels(
  source: Uint8Array,
  width: number,
  height: number,
  stride: number,
  step: number,
  alpha: boolean,
) {
  let gray = true;
  let opaque = true;
  for (let row = 0; row < height && (gray || opaque); row++) {
    const end = row * stride + width * step;
    for (let at = row * stride; at < end; at += step) {
      const blue = source[at]!;
      if (blue !== source[at + 1] || blue !== source[at + 2]) gray = false;
      if (alpha && source[at + 3] !== 255) opaque = false;
    }
    if (!alpha && !gray) break;
  }
  return { gray, opaque };
}

function packGray(
  source: Uint8Array,
  width: number,
  height: number,
  stride: number,
  step: number,
): Uint8Array {
  const data = new Uint8Array(width * height);
  let to = 0;
  for (let row = 0; row < height; row++) {
    for (let at = row * stride, end = at + width * step; at < end; at += step) data[to++] = source[at]!;
  }
  return data;
}

function packColor(
  source: Uint8Array,
  width: number,
  height: number,
  stride: number,
  step: number,
  channels: 3 | 4,
): Uint8Array {
  const data = new Uint8Array(width * height * channels);
  let to = 0;
  for (let row = 0; row < height; row++) {
    for (let at = row * stride, end = at + width * step; at < end; at += step) {
      data[to++] = source[at + 2]!;
      data[to++] = source[at + 1]!;
      data[to++] = source[at]!;
      if (channels === 4) data[to++] = source[at + 3]!;
    }
  }
  return data;
}
