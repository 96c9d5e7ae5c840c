import { describe, expect, it } from 'vitest';
import { cropPng, readPngSize } from '#src/images/crop-png.ts';
import { encodePng } from '#src/images/png.ts';
import { PngError, readPngRows } from '#src/images/png-rows.ts';

/** Returns a picture of 8 x 6 pixels whose colors encode their position. */
const picture = () =>
  encodePng({
    ...{ width: 8, height: 6, channels: 3 },
    data: Uint8Array.from({ length: 8 * 6 * 3 }, (_, at) => {
      const pixel = Math.floor(at / 3);
      return [10 * (pixel % 8), 10 * Math.floor(pixel / 8), 7][at % 3]!;
    }),
  });

function readPixels(bytes: Uint8Array): number[][] {
  const rows: number[][] = [];
  readPngRows(bytes, (rgba) => rows.push(Array.from(rgba)));
  return rows;
}

describe('cropPng', () => {
  it('returns the pixels of each area', async () => {
    const [one, two] = await cropPng(await picture(), [
      { x: 2, y: 1, width: 2, height: 2 },
      { x: 7, y: 5, width: 1, height: 1 },
    ]);
    expect(readPixels(one!.bytes)).toEqual([
      [20, 10, 7, 255, 30, 10, 7, 255],
      [20, 20, 7, 255, 30, 20, 7, 255],
    ]);
    expect(readPixels(two!.bytes)).toEqual([[70, 50, 7, 255]]);
    expect(readPngSize(one!.bytes)).toEqual({ width: 2, height: 2 });
  });

  it.each([
    [{ x: -3, y: -3, width: 100, height: 100 }, 8, 6],
    [{ x: 90, y: 90, width: 5, height: 5 }, 1, 1],
    [{ x: 1.4, y: 1.4, width: 1.2, height: 0 }, 2, 1],
  ])('clips %j to the picture', async (area, width, height) => {
    expect((await cropPng(await picture(), [area]))[0]).toMatchObject({ width, height });
  });

  it('skips an area that overlaps others for the fourth time, and keeps later small areas', async () => {
    const whole = { x: -5, y: 0, width: 1e9, height: 1e9 };
    const half = { x: 0, y: 0, width: 4, height: 6 };
    const cut = await cropPng(await picture(), [whole, whole, half, whole, half, half]);
    expect(cut.map((part) => part?.width)).toEqual([8, 8, 4, undefined, 4, undefined]);
  });

  it('rejects a damaged PNG', async () => {
    const bytes = (await picture()).slice(0, 50);
    await expect(cropPng(bytes, [{ x: 0, y: 0, width: 1, height: 1 }])).rejects.toThrow(PngError);
  });
});
