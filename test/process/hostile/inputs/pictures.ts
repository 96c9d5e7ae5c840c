import { hugeBitonalImage } from '#test/fixtures/huge-image.ts';
import { buildPdf, image, text } from '#test/fixtures/pdf.ts';
import { buildDocument, type Input, indexed } from '#test/process/hostile/input.ts';

/** A PNG that says how large it is and has nothing to show for it. */
function png(width: number, height: number, data = new Uint8Array(0)): Uint8Array {
  const bytes = Buffer.alloc(8 + 25 + 12 + data.length + 12);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt8(8, 24);
  bytes.writeUInt8(2, 25);
  bytes.writeUInt32BE(data.length, 33);
  bytes.write('IDAT', 37);
  Buffer.from(data).copy(bytes, 41);
  bytes.write('IEND', 49 + data.length);
  return bytes;
}

function jpeg(width: number, height: number): Uint8Array {
  const frame = [0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...frame,
    0xff,
    0xda,
    0,
    8,
    1,
    1,
    0,
    0,
    63,
    0,
    ...Array(5000).fill(0),
    0xff,
    0xd9,
  ]);
}

/** Its first directory names itself as the next one. */
function circularTiff(): Uint8Array {
  const bytes = Buffer.alloc(8 + 2 + 24 + 4);
  bytes.write('II');
  bytes.writeUInt16LE(42, 2);
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(2, 8);
  for (const [at, tag] of [256, 257].entries()) {
    bytes.writeUInt16LE(tag, 10 + at * 12);
    bytes.writeUInt16LE(4, 12 + at * 12);
    bytes.writeUInt32LE(1, 14 + at * 12);
    bytes.writeUInt32LE(60_000, 18 + at * 12);
  }
  bytes.writeUInt32LE(8, 34);
  return bytes;
}

function gif(width: number, height: number): Uint8Array {
  const size = [width & 255, width >> 8, height & 255, height >> 8];
  return Uint8Array.from([
    ...Buffer.from('GIF89a'),
    ...size,
    0x80,
    0,
    0,
    0,
    0,
    0,
    255,
    255,
    255,
    0x2c,
    0,
    0,
    0,
    0,
    ...size,
    0,
    2,
    1,
    0x44,
    0,
    0x3b,
  ]);
}

function wordy(count: number): Uint8Array {
  const words = Array.from({ length: count }, (_, at) => text((at * 7) % 600, (at * 13) % 780, 'w', 4));
  return buildPdf({ pages: [{ content: words.join('') }] });
}

/** Pictures and pages that are large in what they say, not in bytes. */
export const pictures: Input[] = [
  indexed('a PNG of 60,000 x 60,000', 'huge.png', () => png(60_000, 60_000)),
  indexed('a PNG of the largest size there is', 'largest.png', () => png(0x7fffffff, 0x7fffffff)),
  indexed('a PNG of 20,000 x 20,000 with zeros', 'zeros.png', async () => {
    const zeros = new Blob(Array(64).fill(new Uint8Array(1024 * 1024))).stream();
    const packed = await new Response(zeros.pipeThrough(new CompressionStream('deflate'))).arrayBuffer();
    return png(20_000, 20_000, new Uint8Array(packed));
  }),
  indexed('a JPEG of 65,000 x 65,000', 'huge.jpg', () => jpeg(65_000, 65_000)),
  indexed('a GIF of 65,000 x 65,000', 'huge.gif', () => gif(65_000, 65_000)),
  indexed('a TIFF that goes round in a circle', 'circle.tiff', circularTiff),
  indexed('a PDF of 8 pages with 30,000 x 30,000 pixels', 'pixels.pdf', async () => {
    const picture = await hugeBitonalImage(30_000);
    return buildPdf({ pages: Array(8).fill({ content: image(0, 72, 100, 400, 400), images: [picture] }) });
  }),
  indexed('a PDF of 10,000 empty pages', 'empty.pdf', () =>
    buildPdf({ pages: Array(10_000).fill({ content: '' }) }),
  ),
  indexed('a PDF of one page with 200,000 words', 'words.pdf', () => wordy(200_000)),
  indexed('a PDF of one page with 100,000 words', 'words.pdf', () => wordy(100_000)),
  {
    name: 'a PDF that kills its engine, beside a healthy file',
    ends: ['PARTIAL_SUCCESS'],
    document: () => buildDocument('words.pdf', wordy(200_000)),
    attack: (attacker, document) =>
      attacker.index(document, {}, [buildDocument('note.txt', 'A note about lighthouses.')]),
  },
  indexed('a PDF of one page with 200,000 lines', 'lines.pdf', () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `${at % 600} 0 m ${at % 600} 780 l S\n`);
    return buildPdf({ pages: [{ content: lines.join('') }] });
  }),
  indexed('a PDF page of the largest size', 'sheet.pdf', () =>
    buildPdf({ pages: [{ content: text(72, 72, 'x'), width: 1e9, height: 1e9 }] }),
  ),
];
