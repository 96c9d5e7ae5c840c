import { zlibSync } from 'fflate';
import type { HostileDocument } from '../document.ts';
import { compressed, hostilePage, type PdfObject, type PdfStream } from './write.ts';

const image = (width: number, height: number, entries: string, data: string | Uint8Array): PdfStream => ({
  entries: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${entries}`,
  data,
});

const pictured = (
  name: string,
  objects: () => PdfObject[],
  content = '612 0 0 792 0 0 cm /I Do\n',
): HostileDocument =>
  hostilePage(name, () => ({ content, resources: '/XObject << /I 5 0 R >>', objects: objects() }));

/** Zeros, compressed again and again. */
function squeezed(bytes: number, times: number): Uint8Array {
  let data: Uint8Array = new Uint8Array(bytes);
  for (let at = 0; at < times; at++) data = zlibSync(data);
  return data;
}

const flate = (width: number, height: number, space: string, bits: number): PdfStream =>
  image(
    width,
    height,
    `/ColorSpace /${space} /BitsPerComponent ${bits} /Filter /FlateDecode`,
    squeezed(Math.min(60_000_000, Math.ceil((width * bits) / 8) * height), 1),
  );

/** A baseline JPEG header of so many pixels without their data. */
function emptyJpeg(width: number, height: number): Uint8Array {
  const words = [
    0xffd8,
    0xffc2,
    0x0011,
    0x0800 | (height >> 8),
    ((height & 255) << 8) | (width >> 8),
    ((width & 255) << 8) | 3,
    0x0111,
    0x0002,
    0x1101,
    0x0311,
    0x01ff,
    0xda00,
    0x0c03,
    0x0100,
    0x0211,
    0x0311,
    0x003f,
    0x0000,
  ];
  return Uint8Array.from(words.flatMap((word) => [word >> 8, word & 255]));
}

export const picturePdfs: readonly HostileDocument[] = [
  pictured('a picture of 60,000 x 60,000 pixels of one bit', () => [flate(60_000, 60_000, 'DeviceGray', 1)]),
  pictured('a picture of 20,000 x 20,000 pixels', () => [flate(20_000, 20_000, 'DeviceRGB', 8)]),
  pictured('a picture of 2,147,483,647 pixels in a row', () => [
    image(2_147_483_647, 1, '/ColorSpace /DeviceGray /BitsPerComponent 8', 'x'),
  ]),
  pictured('a picture of 16 bits and four inks', () => [flate(2_500, 2_500, 'DeviceCMYK', 16)]),
  pictured(
    'a picture drawn 2,000 times',
    () => [flate(3_000, 3_000, 'DeviceGray', 8)],
    'q 612 0 0 792 0 0 cm /I Do Q\n'.repeat(2_000),
  ),
  pictured(
    'a turned picture drawn 2,000 times',
    () => [flate(3_000, 3_000, 'DeviceGray', 8)],
    'q 400 400 -400 400 300 0 cm /I Do Q\n'.repeat(2_000),
  ),
  pictured(
    'a picture that is stretched a billion times',
    () => [flate(100, 100, 'DeviceGray', 8)],
    '1000000000 0 0 1000000000 0 0 cm /I Do\n',
  ),
  pictured('a picture with a soft mask of another size', () => [
    image(
      2_000,
      2_000,
      '/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode /SMask 6 0 R',
      squeezed(12_000_000, 1),
    ),
    flate(9_000, 9_000, 'DeviceGray', 8),
  ]),
  pictured('a picture that is its own soft mask', () => [
    image(
      500,
      500,
      '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /SMask 5 0 R',
      squeezed(250_000, 1),
    ),
  ]),
  pictured('a picture behind 100 filters', () => [
    image(
      100,
      100,
      `/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter [${'/FlateDecode '.repeat(100)}]`,
      squeezed(10_000, 100),
    ),
  ]),
  pictured('a picture of 60 MB compressed three times', () => [
    image(
      8_000,
      8_000,
      '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter [/FlateDecode /FlateDecode /FlateDecode]',
      squeezed(60_000_000, 3),
    ),
  ]),
  pictured('a progressive JPEG of 60,000 x 60,000 pixels without data', () => [
    image(
      60_000,
      60_000,
      '/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode',
      emptyJpeg(60_000, 60_000),
    ),
  ]),
  pictured('a fax picture of 60,000 rows', () => [
    image(
      10_000,
      60_000,
      '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 10000 /Rows 60000 >>',
      'ÿ'.repeat(5_000),
    ),
  ]),
  pictured('a JBIG2 picture of damaged segments', () => [
    image(
      5_000,
      5_000,
      '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /JBIG2Decode',
      '\0\0\0\0\x30\0\x01\0\0\0\x13\0\0ÿÿ\0\0ÿÿ\0\0\0\0\0\0\0\0\0\0\0'.repeat(400),
    ),
  ]),
  pictured('a JPEG 2000 picture that is cut short', () => [
    image(
      30_000,
      30_000,
      '/Filter /JPXDecode',
      'ÿOÿQ\0)\0\0\0\0u0\0\0u0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\x01\x07\x01\x01',
    ),
  ]),
  pictured('an LZW picture of repeated codes', () => [
    image(
      8_000,
      8_000,
      '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /LZWDecode',
      '\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01'.repeat(20_000),
    ),
  ]),
  pictured('a run-length picture', () => [
    image(
      8_000,
      8_000,
      '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /RunLengthDecode',
      '\x81\0'.repeat(500_000),
    ),
  ]),
  pictured('an indexed picture with a predictor of a huge row', () => [
    compressed(
      '/Type /XObject /Subtype /Image /Width 1000 /Height 1000 /BitsPerComponent 8 /ColorSpace [/Indexed /DeviceRGB 255 <00>] /DecodeParms << /Predictor 15 /Columns 2000000000 /Colors 32 /BitsPerComponent 16 >>',
      'x'.repeat(1_000),
    ),
  ]),
  hostilePage('1,000 pictures of 4 megapixels', () => ({
    content: Array.from({ length: 1_000 }, (_, at) => `q 612 0 0 792 0 0 cm /I${at} Do Q`).join('\n'),
    resources: `/XObject << ${Array.from({ length: 1_000 }, (_, at) => `/I${at} ${at + 5} 0 R`).join(' ')} >>`,
    objects: [...new Array<PdfObject>(1_000)].fill(flate(2_000, 2_000, 'DeviceGray', 8)),
  })),
];
