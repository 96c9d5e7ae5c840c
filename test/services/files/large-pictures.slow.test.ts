import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { encodePng, type Pixels } from '#src/images/png.ts';
import { builtin } from '#src/models/ocr/builtin.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { reduceImage } from '#src/parse-file/reduce-image.ts';
import { readScannedPage } from '#src/parse-file/scanned-page.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { enlargedJpeg } from '#test/fixtures/jpeg.ts';
import { drawn } from '#test/fixtures/scan.ts';
import { tiff } from '#test/formats/fixtures/pictures.ts';
import { type DecodedPng, decodePng } from '#test/formats/pdf/helpers.ts';
import { modelDeps } from '#test/support/models.ts';

// The tests use the engine in ocr/ behind its service binding, because only recognised words show that a
// picture stayed legible.

const LINES = ['The harbour master is called', 'Matilda Oyelaran.'];
/** Size of the upper part of the page, which contains the text. */
const [WIDTH, HEIGHT] = [850, 950];

let page: DecodedPng;
let ocr: Ocr;
const shade = (x: number, y: number) => page.at(x, y)[0]!;

beforeAll(async () => {
  page = await decodePng((await drawn(LINES, { size: 22 })).bytes);
  ocr = builtin.open({}, modelDeps({ OCR_ENGINE: env.TEST_OCR_ENGINE }));
});

/** Returns the page with each pixel enlarged to a square of `times` by `times` pixels. */
function enlarged(times: number, channels: Pixels['channels'] = 1): Pixels {
  const [width, height] = [WIDTH * times, HEIGHT * times];
  const data = new Uint8Array(width * height * channels).fill(255);
  for (let y = 0; y < HEIGHT; y++) {
    const start = y * times * width * channels;
    for (let x = 0; x < WIDTH; x++) {
      for (let pixel = x * times; pixel < (x + 1) * times; pixel++)
        data.fill(shade(x, y), start + pixel * channels, start + pixel * channels + Math.min(channels, 3));
    }
    for (let copy = 1; copy < times; copy++)
      data.copyWithin(start + copy * width * channels, start, start + width * channels);
  }
  return { width, height, channels, data };
}

async function readWords(bytes: Uint8Array, name: string): Promise<string> {
  const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
  const read = await readScannedPage(document, await document.readPage(0), ocr, resolveParsePlan({}).ocr);
  const [first] = read.words;
  // Boxes use the page's own size, whatever size the engine received.
  if (first) expect(first[1] / read.width).toBeCloseTo(72 / 408, 1);
  return read.text;
}

it('reads a JPEG of fifty megapixels', async () => {
  const jpeg = enlargedJpeg({ width: WIDTH, height: HEIGHT, at: shade });
  expect(await readWords(jpeg, 'photo.jpg')).toBe(LINES.join(' '));
});

it.each([1, 4] as const)('reads a PNG of twenty megapixels with %i channels', async (channels) => {
  const png = await encodePng(enlarged(5, channels));
  expect(await readWords(png, 'photo.png')).toBe(LINES.join(' '));
});

it('reads a TIFF of twenty megapixels', async () => {
  const { width, height, data } = enlarged(5);
  const bytes = tiff([{ width, height }]);
  bytes.set(data, bytes.length - data.length);
  expect(await readWords(bytes, 'scan.tif')).toBe(LINES.join(' '));
});

describe('a large picture that must be decoded whole', () => {
  const large = { width: 5_000, height: 5_000 };
  it.each([
    ['is an interlaced PNG', 'image/png', (bytes: Uint8Array) => bytes.fill(1, 28, 29), 'interlaced'],
    ['is cut short', 'image/png', (bytes: Uint8Array) => bytes.subarray(0, 200), 'cut short'],
    ['is a WebP', 'image/webp', (bytes: Uint8Array) => bytes, 'image/webp with 5000 x 5000 pixels'],
  ] as const)('is rejected if it %s', async (_, mimeType, change, reason) => {
    const png = await encodePng({ ...large, channels: 1, data: new Uint8Array(25_000_000) });
    await expect(reduceImage({ bytes: change(png), mimeType, ...large })).rejects.toThrow(reason);
  });

  it('is rejected if it is a progressive JPEG', async () => {
    const jpeg = enlargedJpeg({ width: 10, height: 10, at: () => 255 });
    const frame = jpeg.findIndex((byte, at) => byte === 0xff && jpeg[at + 1] === 0xc0);
    jpeg[frame + 1] = 0xc2;
    await expect(reduceImage({ bytes: jpeg, mimeType: 'image/jpeg', ...large })).rejects.toThrow(
      'progressive',
    );
  });
});
