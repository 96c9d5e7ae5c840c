import { describe, expect, it } from 'vitest';
import { cropPng, pngSize } from '#src/images/crop-png.ts';
import { encodePng } from '#src/images/png.ts';
import { PngFault, readPngRows } from '#src/images/png-rows.ts';

/** Eight by six pixels, of which each says where it is. */
const picture = () =>
  encodePng({
    ...{ width: 8, height: 6, channels: 3 },
    data: Uint8Array.from({ length: 8 * 6 * 3 }, (_, at) => {
      const pixel = Math.floor(at / 3);
      return [10 * (pixel % 8), 10 * Math.floor(pixel / 8), 7][at % 3]!;
    }),
  });

function pixelsOf(bytes: Uint8Array): number[][] {
  const rows: number[][] = [];
  readPngRows(bytes, (rgba) => rows.push(Array.from(rgba)));
  return rows;
}

describe('cutting parts out of a PNG', () => {
  it('gives each part its own pixels', async () => {
    const [one, two] = await cropPng(await picture(), [
      { x: 2, y: 1, width: 2, height: 2 },
      { x: 7, y: 5, width: 1, height: 1 },
    ]);
    expect(pixelsOf(one!.bytes)).toEqual([
      [20, 10, 7, 255, 30, 10, 7, 255],
      [20, 20, 7, 255, 30, 20, 7, 255],
    ]);
    expect(pixelsOf(two!.bytes)).toEqual([[70, 50, 7, 255]]);
    expect(pngSize(one!.bytes)).toEqual({ width: 2, height: 2 });
  });

  it.each([
    [{ x: -3, y: -3, width: 100, height: 100 }, 8, 6],
    [{ x: 90, y: 90, width: 5, height: 5 }, 1, 1],
    [{ x: 1.4, y: 1.4, width: 1.2, height: 0 }, 2, 1],
  ])('keeps %j within the picture', async (area, width, height) => {
    expect((await cropPng(await picture(), [area]))[0]).toMatchObject({ width, height });
  });

  it('leaves out what lies over other parts for the fourth time, and no part after it that is small', async () => {
    const whole = { x: -5, y: 0, width: 1e9, height: 1e9 };
    const half = { x: 0, y: 0, width: 4, height: 6 };
    const cut = await cropPng(await picture(), [whole, whole, half, whole, half, half]);
    expect(cut.map((part) => part?.width)).toEqual([8, 8, 4, undefined, 4, undefined]);
  });

  it('refuses what is damaged', async () => {
    const bytes = (await picture()).slice(0, 50);
    await expect(cropPng(bytes, [{ x: 0, y: 0, width: 1, height: 1 }])).rejects.toThrow(PngFault);
  });
});
