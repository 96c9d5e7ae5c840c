import { expect, it } from 'vitest';
import { PngError, readPngRows } from '#src/images/png-rows.ts';

interface Described {
  width: number;
  depth: number;
  colourType: number;
  /** Rows with their filter byte. */
  rows: number[][];
  palette?: number[];
}

async function buildPng({ width, depth, colourType, rows, palette = [] }: Described): Promise<Uint8Array> {
  const packed = new Blob([Uint8Array.from(rows.flat())])
    .stream()
    .pipeThrough(new CompressionStream('deflate'));
  const pixels = [...new Uint8Array(await new Response(packed).arrayBuffer())];
  const word = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
  const chunk = (name: string, body: number[]) => [
    ...[...word(body.length), ...new TextEncoder().encode(name)],
    ...[...body, 0, 0, 0, 0],
  ];
  return Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunk('IHDR', [...word(width), ...word(rows.length), depth, colourType, 0, 0, 0]),
    ...chunk('PLTE', palette),
    // Rows continue across chunks.
    ...chunk('IDAT', pixels.slice(0, 5)),
    ...chunk('IDAT', pixels.slice(5)),
  ]);
}

/** Returns rows of RGB values. */
async function read(described: Described): Promise<number[][]> {
  const rows: number[][] = [];
  readPngRows(await buildPng(described), (rgba, y) => {
    rows[y] = [...rgba].filter((_, index) => index % 4 < 3);
  });
  return rows;
}

const grays = (values: number[]) => values.flatMap((value) => [value, value, value]);

it.each([
  ['as they are', [0, 90, 250, 7], [90, 250, 7]],
  ['from the left', [1, 90, 160, 13], [90, 250, 7]],
  ['from above', [2, 80, 230, 233], [90, 250, 7]],
  ['from the mean of both', [3, 85, 195, 123], [90, 250, 7]],
  ['from the nearest', [4, 80, 160, 7], [90, 250, 1]],
])('decodes rows filtered %s', async (_, second, expected) => {
  const first = [0, 10, 20, 30];
  expect(await read({ width: 3, depth: 8, colourType: 0, rows: [first, second] })).toEqual([
    grays([10, 20, 30]),
    grays(expected),
  ]);
});

it('decodes every pixel type', async () => {
  const one = async (depth: number, colourType: number, bytes: number[], palette?: number[]) =>
    (await read({ width: 2, depth, colourType, rows: [[0, ...bytes]], ...(palette && { palette }) }))[0];
  expect(await one(1, 0, [0b01000000])).toEqual(grays([0, 255]));
  expect(await one(2, 0, [0b01110000])).toEqual(grays([85, 255]));
  expect(await one(4, 3, [0x10], [1, 2, 3, 4, 5, 6])).toEqual([4, 5, 6, 1, 2, 3]);
  expect(await one(16, 2, [1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9])).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await one(8, 4, [0, 255, 0, 0])).toEqual(grays([0, 255]));
  expect(await one(8, 6, [1, 2, 3, 255, 1, 2, 3, 0])).toEqual([1, 2, 3, 255, 255, 255]);
});

it('rejects unsupported and damaged data', async () => {
  const row = { width: 1, depth: 8, colourType: 0, rows: [[5, 1]] };
  await expect(read(row)).rejects.toThrow('unknown filter 5');
  await expect(read({ ...row, depth: 3 })).rejects.toThrow(PngError);
  await expect(read({ ...row, width: 5_000_000 })).rejects.toThrow('5000000 bytes');
  await expect(read({ ...row, width: 9, rows: [[0, 1]] })).rejects.toThrow('cut short');
});
