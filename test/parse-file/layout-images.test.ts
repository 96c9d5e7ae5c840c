import { expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { encodePng } from '#src/images/png.ts';
import { cutOutImages } from '#src/parse-file/layout-images.ts';
import { decodePng } from '#test/formats/pdf/helpers.ts';

const [WIDTH, HEIGHT] = [300, 400];
/** Returns a color for each position. */
const colour = (x: number, y: number) => [x & 255, y & 255, (x * 3 + y * 5) & 255];

async function cutFrom(blocks: { type: string; box?: object }[], scale = 1) {
  const [width, height] = [WIDTH * scale, HEIGHT * scale];
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at++) data.set(colour(at % width, Math.floor(at / width)), at * 3);
  const bytes = await encodePng({ width, height, channels: 3, data });
  const document = { renderPage: async () => ({ bytes, mimeType: 'image/png', width, height }) };
  const page = { index: 4, width: WIDTH, height: HEIGHT, blocks };
  return cutOutImages(document as unknown as OpenDocument, page as unknown as Page);
}

it('crops tables and figures with a small margin', async () => {
  const table = { type: 'table', box: { x: 30, y: 120, w: 50, h: 20 } };
  const figure = { type: 'figure', box: { x: 200, y: 10, w: 40, h: 60 } };
  const cut = await cutFrom([{ type: 'paragraph', box: table.box }, table, figure, table], 2);
  expect(cut.map(({ described: { name, type, box } }) => [name, type, box])).toEqual([
    ['page_5_layout_table_1.png', 'table', { x: 28, y: 118, w: 54, h: 24 }],
    ['page_5_layout_figure_1.png', 'figure', { x: 198, y: 8, w: 44, h: 64 }],
    ['page_5_layout_table_2.png', 'table', { x: 28, y: 118, w: 54, h: 24 }],
  ]);
  for (const { described, image } of cut) {
    const { x, y, w, h } = described.box;
    const { width, height, at } = await decodePng(image.bytes);
    expect([width, height, image.width, image.height]).toEqual([2 * w, 2 * h, 2 * w, 2 * h]);
    expect(described.byteSize).toBe(image.bytes.length);
    for (const [across, down] of [
      [0, 0],
      [width - 1, 0],
      [7, height - 1],
    ] as const)
      expect(at(across, down)).toEqual(colour(2 * x + across, 2 * y + down));
  }
});

it('clips to the page, and skips rules, dots and elements without a box', async () => {
  const box = { x: WIDTH - 20, y: HEIGHT - 20, w: 100, h: 100 };
  const rule = { type: 'figure', box: { x: 10, y: 10, w: 200, h: 1 } };
  const cut = await cutFrom([{ type: 'table', box }, rule, { type: 'table' }]);
  expect(cut.map(({ described }) => described.box)).toEqual([{ x: 278, y: 378, w: 22, h: 22 }]);
});
