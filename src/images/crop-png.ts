import { encodePng, type Pixels } from './png.ts';
import { readPngRows } from './png-rows.ts';

/** An area of a picture in pixels. Parts outside the picture are ignored. */
export interface PixelArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PngPart {
  bytes: Uint8Array;
  width: number;
  height: number;
}

/**
 * Maximum total area of the cut-out parts, as a multiple of the picture's area. Parts that do not overlap
 * cover at most one picture, and larger parts that contain them at most another one.
 */
const MAX_AREA_FACTOR = 3;

export function readPngSize(bytes: Uint8Array): { width: number; height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/**
 * Cuts areas out of a PNG, which is decoded once, row by row. The result is `undefined` for an area that
 * would raise the total above three times the picture's area. Throws PngError if the picture cannot be read.
 */
export async function cropPng(
  bytes: Uint8Array,
  areas: readonly PixelArea[],
): Promise<(PngPart | undefined)[]> {
  const size = readPngSize(bytes);
  let left = MAX_AREA_FACTOR * size.width * size.height;
  const parts = areas.map((area) => {
    const x = Math.min(Math.max(0, Math.floor(area.x)), size.width - 1);
    const y = Math.min(Math.max(0, Math.floor(area.y)), size.height - 1);
    const width = Math.max(1, Math.min(size.width, Math.ceil(area.x + area.width)) - x);
    const height = Math.max(1, Math.min(size.height, Math.ceil(area.y + area.height)) - y);
    if (width * height > left) return undefined;
    left -= width * height;
    const pixels: Pixels = { width, height, channels: 3, data: new Uint8Array(width * height * 3) };
    return { x, y, pixels };
  });
  readPngRows(bytes, (rgba, row) => {
    for (const part of parts) {
      if (!part) continue;
      const { x, y, pixels } = part;
      if (row < y || row >= y + pixels.height) continue;
      let to = (row - y) * pixels.width * 3;
      for (let from = x * 4; from < (x + pixels.width) * 4; from += 4) {
        pixels.data[to++] = rgba[from]!;
        pixels.data[to++] = rgba[from + 1]!;
        pixels.data[to++] = rgba[from + 2]!;
      }
    }
  });
  const cut: (PngPart | undefined)[] = [];
  for (const part of parts) {
    const { width = 0, height = 0 } = part?.pixels ?? {};
    cut.push(part && { bytes: await encodePng(part.pixels), width, height });
  }
  return cut;
}
