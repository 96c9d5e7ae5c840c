import { encodePng, type Pixels } from './png.ts';
import { readPngRows } from './png-rows.ts';

/** A part of a picture in pixels; what reaches beyond the picture's edges is left out. */
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

/** Parts that do not lie over each other are one picture at most, and what they are cut out of is another. */
const MOST_PICTURES = 3;

/** Width and height, which every PNG has in one place. */
export function pngSize(bytes: Uint8Array): { width: number; height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/**
 * Cuts the parts out of a PNG, which is unpacked once, row by row. Parts have no more pixels together than three times
 * the picture: those that would are undefined. Throws PngFault where it cannot be read.
 */
export async function cropPng(
  bytes: Uint8Array,
  areas: readonly PixelArea[],
): Promise<(PngPart | undefined)[]> {
  const size = pngSize(bytes);
  let left = MOST_PICTURES * size.width * size.height;
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
