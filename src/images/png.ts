/** Pixels of a picture in rows from the top. Each pixel has `channels` bytes for gray, RGB or RGBA. */
export interface Pixels {
  width: number;
  height: number;
  channels: 1 | 3 | 4;
  data: Uint8Array;
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const COLOR_TYPES = { 1: 0, 3: 2, 4: 6 } as const;
const FILTER_UP = 2;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let index = 0; index < bytes.length; index++)
    crc = CRC_TABLE[(crc ^ bytes[index]!) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(body.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, body.length);
  for (let index = 0; index < 4; index++) bytes[4 + index] = type.charCodeAt(index);
  bytes.set(body, 8);
  view.setUint32(body.length + 8, crc32(bytes.subarray(4, body.length + 8)));
  return bytes;
}

/**
 * Applies the PNG filter "up": each byte becomes the difference from the byte above. Repeated rows become
 * zeros, which compress well.
 */
export function filterRows({ width, height, channels, data }: Pixels): Uint8Array<ArrayBuffer> {
  const stride = width * channels;
  const filtered = new Uint8Array((stride + 1) * height);
  let to = 0;
  for (let row = 0; row < height; row++) {
    filtered[to++] = FILTER_UP;
    const from = row * stride;
    if (row === 0) {
      filtered.set(data.subarray(0, stride), to);
      to += stride;
      continue;
    }
    for (let column = from; column < from + stride; column++)
      filtered[to++] = data[column]! - data[column - stride]!;
  }
  return filtered;
}

export async function encodePng(pixels: Pixels): Promise<Uint8Array> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, pixels.width);
  view.setUint32(4, pixels.height);
  header[8] = 8;
  header[9] = COLOR_TYPES[pixels.channels];
  const compressed = new Blob([filterRows(pixels)]).stream().pipeThrough(new CompressionStream('deflate'));
  const body = new Uint8Array(await new Response(compressed).arrayBuffer());
  const parts = [SIGNATURE, chunk('IHDR', header), chunk('IDAT', body), chunk('IEND', new Uint8Array())];
  const png = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    png.set(part, at);
    at += part.length;
  }
  return png;
}
