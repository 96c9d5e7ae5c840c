import { zlibSync } from 'fflate';
import { bytesOfText, concat, type HostileDocument } from './document.ts';
import { page, type Tag, tiff, tiled } from './tiff.ts';

const zeros = (bytes: number) => zlibSync(new Uint8Array(bytes), { level: 9 });

const picture = (name: string, bytes: () => Uint8Array, file = 'hostile.tiff'): HostileDocument => ({
  name,
  file,
  bytes,
});

const packedPage = (width: number, height: number, strips = 1): Uint8Array => {
  const data = zeros(Math.ceil((width * height) / strips));
  return tiff([page(width, height, 8, data.length, strips)], data);
};

/** Returns a PNG with the given header and compressed pixel data. */
function png(width: number, height: number, idat: Uint8Array, depth = 8, colour = 2): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = depth;
  header[9] = colour;
  const chunk = (type: string, body: Uint8Array) => {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, body.length);
    return concat([length, type, body, new Uint8Array(4)]);
  };
  return concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
    chunk('IHDR', header),
    chunk('IDAT', idat),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** Returns a TIFF with `count` pages that share equal strips. */
export const manyPages = (count: number, width: number, height: number): Uint8Array => {
  const data = zeros(width * height);
  return tiff(new Array<Tag[]>(count).fill(page(width, height, 8, data.length)), data);
};

/** Pictures that declare excessive sizes or have cyclic directories. */
export const hostileImages: readonly HostileDocument[] = [
  picture('a TIFF of 100,000 directories', () =>
    tiff(new Array<Tag[]>(100_000).fill(page(1, 1, 1, 1)), Uint8Array.of(1)),
  ),
  picture('a TIFF whose directories run in a circle', () =>
    tiff(
      new Array<Tag[]>(50).fill(page(1_000, 1_000, 8, 50)),
      zeros(1_000_000),
      (at, places) => places[(at + 1) % 50]!,
    ),
  ),
  picture('a TIFF of 1,900 pages of 3,400 x 3,400 pixels', () => manyPages(1_900, 3_400, 3_400)),
  picture('a TIFF of 2,000 pages that share one strip', () => manyPages(2_000, 1_000, 1_000)),
  picture('a TIFF of one strip of 79 megapixels', () => packedPage(10_000, 7_900)),
  picture('a TIFF of 7,900 strips that share one place', () => packedPage(10_000, 7_900, 7_900)),
  picture('a TIFF of 200,000 strips', () => tiff([page(10, 190_000, 1, 10, 190_000)], new Uint8Array(10))),
  picture('a TIFF of 100 pages of 79 megapixels', () => manyPages(100, 10_000, 7_900)),
  picture('a TIFF of tiles that share one place', () => {
    const data = zeros(256 * 256);
    return tiff([tiled(8_000, 8_000, 256, 8, data.length)], data);
  }),
  picture('a TIFF of tiles of one pixel', () => tiff([tiled(400, 400, 1, 1, 1)], new Uint8Array(1))),
  picture('a TIFF of tiles larger than the page', () => tiff([tiled(10, 10, 60_000, 8, 50)], zeros(100_000))),
  picture('a TIFF of LZW codes without an end', () =>
    tiff([page(10_000, 1_100, 5, 30_000)], new Uint8Array(30_000).fill(0x80)),
  ),
  picture('a TIFF of run-length codes', () =>
    tiff([page(10_000, 1_100, 32_773, 30_000)], new Uint8Array(30_000).fill(0x81)),
  ),
  ...[2, 3, 4].map((compression) =>
    picture(`a fax TIFF of kind ${compression}`, () =>
      tiff([page(60_000, 1_300, compression, 20_000, 1, 1)], new Uint8Array(20_000).fill(0x35)),
    ),
  ),
  picture('a fax TIFF of 1,000 pages', () =>
    tiff(
      new Array<Tag[]>(1_000).fill(page(9_000, 1_300, 4, 20_000, 1, 1)),
      new Uint8Array(20_000).fill(0x35),
    ),
  ),
  picture('a TIFF of JPEG strips that are none', () =>
    tiff(
      [page(1_000, 1_000, 7, 100, 900)],
      Uint8Array.of(0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff, 3),
    ),
  ),
  picture('a TIFF of lists of 4,000,000,000 values', () => {
    const bytes = tiff([page(100, 100, 1, 100)], new Uint8Array(100));
    const view = new DataView(bytes.buffer);
    view.setUint32(view.getUint32(4, true) + 2 + 5 * 12 + 4, 4_000_000_000, true);
    return bytes;
  }),
  picture('a TIFF of 60,000 tags', () => tiff([Array.from({ length: 60_000 }, (): Tag => [273, 4, [8]])])),
  picture('a TIFF of 2,000 directories of 190,000 values each', () => {
    const list = new Array<number>(190_000).fill(8);
    const bytes = tiff(
      [[...page(10, 10, 1, 10), [324, 4, list]], ...new Array<Tag[]>(1_999).fill(page(10, 10, 1, 10))],
      new Uint8Array(100),
    );
    // All directories refer to the list of the first directory.
    const view = new DataView(bytes.buffer);
    const first = view.getUint32(4, true);
    const place = view.getUint32(first + 2 + 9 * 12 + 8, true);
    for (
      let at = view.getUint32(first + 2 + 10 * 12, true);
      at !== 0;
      at = view.getUint32(at + 2 + 9 * 12, true)
    ) {
      view.setUint32(at + 2 + 5 * 12 + 4, 190_000, true);
      view.setUint32(at + 2 + 5 * 12 + 8, place, true);
    }
    return bytes;
  }),
  picture('a PNG of 10,000 x 10,000 zeros', () => png(10_000, 10_000, zeros(60_000_000)), 'zeros.png'),
  picture('a PNG of 1 x 100,000,000', () => png(1, 100_000_000, zeros(50_000_000), 8, 0), 'tall.png'),
  picture(
    'a PNG of 268,435,456 pixels without data',
    () => png(16_384, 16_384, new Uint8Array()),
    'empty.png',
  ),
  picture(
    'a PNG of 100,000 chunks',
    () => concat([png(10, 10, zeros(330)).slice(0, 33), bytesOfText('\0\0\0\0tEXt\0\0\0\0'.repeat(100_000))]),
    'chunks.png',
  ),
  picture(
    'a JPEG of 65,000 x 65,000 without data',
    () =>
      Uint8Array.of(
        0xff,
        0xd8,
        0xff,
        0xc2,
        0,
        17,
        8,
        0xfd,
        0xe8,
        0xfd,
        0xe8,
        3,
        1,
        0x22,
        0,
        2,
        0x11,
        1,
        3,
        0x11,
        1,
        0xff,
        0xda,
        0,
        12,
        3,
        1,
        0,
        2,
        0x11,
        3,
        0x11,
        0,
        0x3f,
        0,
      ),
    'huge.jpg',
  ),
  picture(
    'a JPEG of 500,000 markers',
    () =>
      concat([Uint8Array.of(0xff, 0xd8), new Uint8Array(1_000_000).map((_, at) => (at % 2 ? 0xd0 : 0xff))]),
    'markers.jpg',
  ),
  picture(
    'a GIF of 65,535 x 65,535',
    () =>
      concat([
        'GIF89a',
        Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0x2c, 0, 0, 0, 0, 255, 255, 255, 255, 0, 8, 0),
      ]),
    'huge.gif',
  ),
  picture(
    'a GIF of 100,000 frames',
    () =>
      concat([
        'GIF89a',
        Uint8Array.of(1, 0, 1, 0, 0, 0, 0),
        ...new Array<Uint8Array>(100_000).fill(
          Uint8Array.of(0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0),
        ),
      ]),
    'frames.gif',
  ),
  picture(
    'a WebP of 16,383 x 16,383 without data',
    () =>
      concat([
        'RIFF',
        Uint8Array.of(30, 0, 0, 0),
        'WEBPVP8X',
        Uint8Array.of(10, 0, 0, 0, 0, 0, 0, 0, 255, 63, 0, 255, 63, 0),
      ]),
    'huge.webp',
  ),
];
