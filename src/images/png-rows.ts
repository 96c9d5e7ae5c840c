import { Unzlib } from 'fflate';

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Maximum number of bytes in a row of pixels. The reader holds three rows in memory. */
const MAX_ROW_BYTES = 4_000_000;
/** Number of compressed bytes that are unpacked at once. The unpacked data may be a thousand times larger. */
const BYTES_PER_STEP = 4_096;

export class PngError extends Error {
  override readonly name = 'PngError';
}

interface Format {
  width: number;
  height: number;
  depth: number;
  colorType: number;
  palette: Uint8Array;
}

/**
 * Passes the rows of a PNG to `take` from the top, with four bytes per pixel, blended onto white. Only one
 * row is held at a time. Throws PngError if the picture is damaged or not supported.
 */
export function readPngRows(bytes: Uint8Array, take: (rgba: Uint8Array, y: number) => void): void {
  const { format, parts } = readChunks(bytes);
  const { width, height, depth, colorType } = format;
  const bits = depth * CHANNELS[colorType]!;
  const stride = Math.ceil((width * bits) / 8);
  if (stride > MAX_ROW_BYTES)
    throw new PngError(`its rows have ${stride} bytes, and the limit is ${MAX_ROW_BYTES}`);
  const step = Math.max(1, bits / 8);
  let above: Uint8Array = new Uint8Array(stride);
  let row: Uint8Array = new Uint8Array(stride);
  const rgba = new Uint8Array(width * 4);
  let [filled, filter, y] = [-1, 0, 0];
  const unpack = new Unzlib((chunk) => {
    for (let at = 0; at < chunk.length && y < height; ) {
      if (filled < 0) {
        filter = chunk[at++]!;
        filled = 0;
        continue;
      }
      const piece = chunk.subarray(at, at + stride - filled);
      row.set(piece, filled);
      at += piece.length;
      filled += piece.length;
      if (filled < stride) continue;
      unfilter(row, above, filter, step);
      toRgba(row, format, rgba);
      take(rgba, y++);
      [above, row] = [row, above];
      filled = -1;
    }
  });
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length && y < height; at += BYTES_PER_STEP)
        unpack.push(part.subarray(at, at + BYTES_PER_STEP));
    }
  } catch (error) {
    if (error instanceof PngError) throw error;
    throw new PngError('its pixels are damaged', { cause: error });
  }
  if (y < height) throw new PngError('it is cut short');
}

function readChunks(bytes: Uint8Array): { format: Format; parts: Uint8Array[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33) throw new PngError('it is cut short');
  const [depth, colorType] = [bytes[24]!, bytes[25]!];
  if (bytes[28] !== 0) throw new PngError('it is interlaced; save it without interlacing');
  if (![1, 2, 4, 8, 16].includes(depth) || CHANNELS[colorType] === undefined)
    throw new PngError(`its color type ${colorType} with ${depth} bits is not supported`);
  const format = {
    width: view.getUint32(16),
    height: view.getUint32(20),
    depth,
    colorType,
    palette: new Uint8Array() as Uint8Array,
  };
  const parts: Uint8Array[] = [];
  for (let at = 33; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (name === 'PLTE') format.palette = body;
    if (name === 'IDAT') parts.push(body);
    at += 12 + length;
  }
  return { format, parts };
}

/** Restores the pixel values of a row, which a PNG stores as differences from neighboring pixels. */
function unfilter(row: Uint8Array, above: Uint8Array, filter: number, step: number): void {
  if (filter > 4) throw new PngError(`a row uses the unknown filter ${filter}`);
  for (let at = 0; filter > 0 && at < row.length; at++) {
    const left = at < step ? 0 : row[at - step]!;
    const up = above[at]!;
    if (filter === 1) row[at]! += left;
    else if (filter === 2) row[at]! += up;
    else if (filter === 3) row[at]! += (left + up) >> 1;
    else row[at]! += predictPaeth(left, up, at < step ? 0 : above[at - step]!);
  }
}

/**
 * Returns the neighboring value that is closest to the value predicted from all three neighbors. This is the
 * Paeth predictor of PNG.
 */
function predictPaeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function toRgba(row: Uint8Array, { width, depth, colorType, palette }: Format, rgba: Uint8Array): void {
  const channels = CHANNELS[colorType]!;
  const maxValue = 2 ** Math.min(depth, 8) - 1;
  const isGray = channels < 3;
  // Of samples with 16 bits, only the upper eight bits are used.
  const sample = (index: number) => {
    if (depth === 8) return row[index]!;
    if (depth === 16) return row[index * 2]!;
    const bit = index * depth;
    return (row[bit >> 3]! >> (8 - depth - (bit & 7))) & maxValue;
  };
  for (let x = 0; x < width; x++) {
    const first = x * channels;
    const opacity = colorType >= 4 ? sample(first + channels - 1) / 255 : 1;
    const index = colorType === 3 ? sample(first) : 0;
    for (let channel = 0; channel < 3; channel++) {
      const value =
        colorType === 3
          ? (palette[index * 3 + channel] ?? 0)
          : (sample(isGray ? first : first + channel) * 255) / maxValue;
      rgba[x * 4 + channel] = 255 - (255 - value) * opacity;
    }
    rgba[x * 4 + 3] = 255;
  }
}
