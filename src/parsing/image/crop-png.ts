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

/** Width and height, which every PNG has in one place. */
export function pngSize(bytes: Uint8Array): { width: number; height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Cuts the parts out of a PNG, which is unpacked once, row by row. Throws PngFault where it cannot be read. */
export async function cropPng(bytes: Uint8Array, areas: readonly PixelArea[]): Promise<PngPart[]> {
  const size = pngSize(bytes);
  const parts = areas.map((area) => {
    const x = Math.min(Math.max(0, Math.floor(area.x)), size.width - 1);
    const y = Math.min(Math.max(0, Math.floor(area.y)), size.height - 1);
    const width = Math.max(1, Math.min(size.width, Math.ceil(area.x + area.width)) - x);
    const height = Math.max(1, Math.min(size.height, Math.ceil(area.y + area.height)) - y);
    const pixels: Pixels = { width, height, channels: 3, data: new Uint8Array(width * height * 3) };
    return { x, y, pixels };
  });
  readPngRows(bytes, (rgba, row) => {
    for (const { x, y, pixels } of parts) {
      if (row < y || row >= y + pixels.height) continue;
      let to = (row - y) * pixels.width * 3;
      for (let from = x * 4; from < (x + pixels.width) * 4; from += 4) {
        pixels.data[to++] = rgba[from]!;
        pixels.data[to++] = rgba[from + 1]!;
        pixels.data[to++] = rgba[from + 2]!;
      }
    }
  });
  const cut: PngPart[] = [];
  for (const { pixels } of parts) {
    cut.push({ bytes: await encodePng(pixels), width: pixels.width, height: pixels.height });
  }
  return cut;
}
