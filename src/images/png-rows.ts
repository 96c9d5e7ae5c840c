import { Unzlib } from 'fflate';

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bytes of one row: three of them are held. */
const MAX_ROW_BYTES = 4_000_000;
/** Compressed bytes unpacked at once: a thousand times as many may come out. */
const STEP = 4_096;

/** Why the rows of this PNG cannot be read. */
export class PngFault extends Error {
  override readonly name = 'PngFault';
}

interface Format {
  width: number;
  height: number;
  depth: number;
  colourType: number;
  palette: Uint8Array;
}

/** Hands out the rows from the top, four bytes a pixel on white; only one is held at a time. Throws PngFault. */
export function readPngRows(bytes: Uint8Array, take: (rgba: Uint8Array, y: number) => void): void {
  const { format, parts } = readChunks(bytes);
  const { width, height, depth, colourType } = format;
  const bits = depth * CHANNELS[colourType]!;
  const stride = Math.ceil((width * bits) / 8);
  if (stride > MAX_ROW_BYTES)
    throw new PngFault(`its rows have ${stride} bytes, at most ${MAX_ROW_BYTES} can be read`);
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
      toColours(row, format, rgba);
      take(rgba, y++);
      [above, row] = [row, above];
      filled = -1;
    }
  });
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length && y < height; at += STEP) unpack.push(part.subarray(at, at + STEP));
    }
  } catch (error) {
    if (error instanceof PngFault) throw error;
    throw new PngFault('its pixels are damaged', { cause: error });
  }
  if (y < height) throw new PngFault('it is cut short');
}

function readChunks(bytes: Uint8Array): { format: Format; parts: Uint8Array[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33) throw new PngFault('it is cut short');
  const [depth, colourType] = [bytes[24]!, bytes[25]!];
  if (bytes[28] !== 0) throw new PngFault('it is interlaced: save it without');
  if (![1, 2, 4, 8, 16].includes(depth) || CHANNELS[colourType] === undefined)
    throw new PngFault(`its pixels are of type ${colourType} with ${depth} bits`);
  const format = {
    width: view.getUint32(16),
    height: view.getUint32(20),
    depth,
    colourType,
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

/** Gives a row its values back, which are kept as differences from those beside and above. */
function unfilter(row: Uint8Array, above: Uint8Array, filter: number, step: number): void {
  if (filter > 4) throw new PngFault(`a row is kept in the unknown way ${filter}`);
  for (let at = 0; filter > 0 && at < row.length; at++) {
    const left = at < step ? 0 : row[at - step]!;
    const up = above[at]!;
    if (filter === 1) row[at]! += left;
    else if (filter === 2) row[at]! += up;
    else if (filter === 3) row[at]! += (left + up) >> 1;
    else row[at]! += nearest(left, up, at < step ? 0 : above[at - step]!);
  }
}

/** The neighbour that is closest to what the three foretell. */
function nearest(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function toColours(row: Uint8Array, { width, depth, colourType, palette }: Format, rgba: Uint8Array): void {
  const channels = CHANNELS[colourType]!;
  const most = 2 ** Math.min(depth, 8) - 1;
  const isGray = channels < 3;
  // Of sixteen bits the upper eight are enough.
  const sample = (index: number) => {
    if (depth === 8) return row[index]!;
    if (depth === 16) return row[index * 2]!;
    const bit = index * depth;
    return (row[bit >> 3]! >> (8 - depth - (bit & 7))) & most;
  };
  for (let x = 0; x < width; x++) {
    const first = x * channels;
    const opacity = colourType >= 4 ? sample(first + channels - 1) / 255 : 1;
    const index = colourType === 3 ? sample(first) : 0;
    for (let channel = 0; channel < 3; channel++) {
      const value =
        colourType === 3
          ? (palette[index * 3 + channel] ?? 0)
          : (sample(isGray ? first : first + channel) * 255) / most;
      rgba[x * 4 + channel] = 255 - (255 - value) * opacity;
    }
    rgba[x * 4 + 3] = 255;
  }
}
