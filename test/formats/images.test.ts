import { expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { readImageHeader } from '#src/images/header.ts';
import { applyOrientation } from '#src/images/orientation.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { exif, gif, jpeg, jpegWith, png, tiff, webp, webpWith } from './fixtures/pictures.ts';

parserSuite({
  kind: 'png',
  holds: { figures: 1, renders: true },
  bytes: () => png(),
  markdown: ['![](image-1.png)'],
});
parserSuite({
  kind: 'jpeg',
  holds: { figures: 1, renders: true },
  bytes: () => jpeg,
  markdown: ['![](image-1.jpg)'],
});
parserSuite({
  kind: 'gif',
  holds: { figures: 1, renders: true },
  bytes: () => gif,
  markdown: ['![](image-1.gif)'],
});
parserSuite({
  kind: 'webp',
  holds: { figures: 1, renders: true },
  bytes: () => webp,
  markdown: ['![](image-1.webp)'],
});
parserSuite({
  kind: 'tiff',
  holds: { figures: 2, renders: true },
  bytes: () =>
    tiff([
      { width: 30, height: 20 },
      { width: 10, height: 40 },
    ]),
  markdown: ['![](page-1.png)', '![](page-2.png)'],
  hasSignature: true,
});

it('opens a picture as a page that needs OCR', async () => {
  const document = await openDocument({ bytes: await png(96, 48), name: '', plan: resolveParsePlan({}) });
  const [page] = await readAll(document);
  expect(page).toMatchObject({ needsOcr: true, text: '', width: 72, height: 36 });
  expect(page?.figures[0]).toMatchObject({
    width: 96,
    height: 48,
    mimeType: 'image/png',
    isLikelyNoise: false,
  });
  expect((await document.renderPage?.(0))?.mimeType).toBe('image/png');
});

it.each([
  [1, 60, 40],
  [3, 60, 40],
  [6, 40, 60],
  [8, 40, 60],
])('applies the EXIF orientation %i of a JPEG', (orientation, width, height) => {
  const header = readImageHeader(jpegWith(exif(orientation)));
  const turned = orientation === 1 ? {} : { orientation };
  expect(header).toEqual({ mimeType: 'image/jpeg', width, height, ...turned });
});

it.each([
  ['cut short', exif(6).subarray(0, 12)],
  ['of no known orientation', exif(77)],
  ['that points beyond itself', Uint8Array.from([0x4d, 0x4d, 0, 42, 255, 255, 255, 255])],
])('ignores EXIF data that is %s', (_, damaged) => {
  expect(readImageHeader(jpegWith(damaged))).toEqual({ mimeType: 'image/jpeg', width: 60, height: 40 });
});

it.each([
  ['plain', exif(6)],
  ['with the mark of JPEG files', Uint8Array.from([...new TextEncoder().encode('Exif\0\0'), ...exif(6)])],
])('applies the EXIF orientation of a WebP picture, EXIF data %s', (_, data) => {
  expect(readImageHeader(webpWith(data))).toEqual({
    mimeType: 'image/webp',
    width: 25,
    height: 34,
    orientation: 6,
  });
});

it('applies the orientation of a TIFF', async () => {
  const bytes = tiff([{ width: 30, height: 20, orientation: 6 }]);
  const document = await openDocument({ bytes, name: '', plan: resolveParsePlan({}) });
  const shown = await document.renderPage!(0);
  expect(shown).toMatchObject({ width: 20, height: 30 });
  expect(readImageHeader(shown.bytes)).toEqual({ mimeType: 'image/png', width: 20, height: 30 });
  const upright = await openDocument({
    bytes: tiff([{ width: 20, height: 30 }]),
    name: '',
    plan: resolveParsePlan({}),
  });
  expect(shown.bytes).not.toEqual((await upright.renderPage!(0)).bytes);
});

it.each([
  [1, 'ab cd ef'],
  [2, 'ba dc fe'],
  [3, 'fe dc ba'],
  [4, 'ef cd ab'],
  [5, 'ace bdf'],
  [6, 'eca fdb'],
  [7, 'fdb eca'],
  [8, 'bdf ace'],
  [99, 'ab cd ef'],
])('rotates pixels by orientation %i', (orientation, rows) => {
  const data = new TextEncoder().encode('abcdef');
  const shown = applyOrientation({ width: 2, height: 3, channels: 1, data }, orientation);
  const text = new TextDecoder().decode(shown.data);
  expect(text.match(new RegExp(`.{${shown.width}}`, 'g'))?.join(' ')).toBe(rows);
});

it('rejects pictures that are too large to decode', async () => {
  const bytes = tiff([{ width: 8, height: 8 }]);
  const view = new DataView(bytes.buffer);
  view.setUint32(18, 60_000, true);
  view.setUint32(30, 60_000, true);
  const document = await openDocument({ bytes, name: '', plan: resolveParsePlan({}) });
  await expect(document.readPage(0)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
});

it('rejects JPEG strips in a TIFF whose size cannot be read', async () => {
  const bytes = tiff([{ width: 8, height: 8 }]);
  new DataView(bytes.buffer).setUint32(54, 7, true);
  const document = await openDocument({ bytes, name: '', plan: resolveParsePlan({}) });
  const reading = document.readPage(0);
  await expect(reading).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  await expect(reading).rejects.toThrow('the size of one of its strips cannot be read');
});

it.each([
  ['JPEG', (count: number) => jpegAfter(count, [0xff, 0xe2, 0, 2])],
  ['WebP', (count: number) => webpAfter(count)],
])('stops reading a %s after too many segments', (_, bytes) => {
  expect(readImageHeader(bytes(1_000))).toBeDefined();
  expect(readImageHeader(bytes(3_000))?.orientation).toBeUndefined();
  expect(readImageHeader(bytes(1_000))).not.toEqual(readImageHeader(bytes(3_000)));
});

/** Returns a JPEG preceded by `count` meaningless segments. */
function jpegAfter(count: number, segment: number[]): Uint8Array {
  const empty = Array.from({ length: count }, () => segment).flat();
  return Uint8Array.from([...jpeg.subarray(0, 2), ...empty, ...jpeg.subarray(2)]);
}

/** Returns a rotated WebP whose EXIF data follows `count` meaningless chunks. */
function webpAfter(count: number): Uint8Array {
  const turnedPicture = webpWith(exif(6));
  const end = turnedPicture.length - 8 - exif(6).length;
  const empty = Array.from({ length: count }, () => [0x58, 0x58, 0x58, 0x58, 0, 0, 0, 0]).flat();
  return Uint8Array.from([...turnedPicture.subarray(0, end), ...empty, ...turnedPicture.subarray(end)]);
}
