import { describe, expect, it } from 'vitest';
import { evenLight, lightenDarkPicture } from '#ocr/picture/even-light.ts';
import { applyOrientation, cropPicture, type Gray, turnPicture } from '#ocr/picture/gray.ts';
import { decodeGrayPng } from '#ocr/picture/gray-png.ts';
import { placePicture, toOriginalWord } from '#ocr/picture/placement.ts';
import { resizePicture } from '#ocr/picture/resize.ts';
import { findRules } from '#ocr/picture/rules.ts';
import { encodePng } from '#src/images/png.ts';

const picture = (width: number, height: number, shade: (x: number, y: number) => number): Gray => {
  const data = new Uint8Array(width * height);
  for (let at = 0; at < data.length; at++) data[at] = shade(at % width, Math.floor(at / width));
  return { width, height, data };
};

/** Picture whose pixels are numbered, so that each can be found again. */
const numbered = picture(3, 2, (x, y) => y * 3 + x);

describe('turnPicture', () => {
  it('turns clockwise', () => {
    expect([...turnPicture(numbered, 1).data]).toEqual([3, 0, 4, 1, 5, 2]);
    expect([...turnPicture(numbered, 2).data]).toEqual([5, 4, 3, 2, 1, 0]);
    expect([...turnPicture(numbered, 3).data]).toEqual([2, 5, 1, 4, 0, 3]);
    expect(turnPicture(numbered, 1)).toMatchObject({ width: 2, height: 3 });
  });
});

describe('applyOrientation', () => {
  it.each([
    [1, [0, 1, 2, 3, 4, 5]],
    [2, [2, 1, 0, 5, 4, 3]],
    [3, [5, 4, 3, 2, 1, 0]],
    [4, [3, 4, 5, 0, 1, 2]],
    [5, [0, 3, 1, 4, 2, 5]],
    [6, [3, 0, 4, 1, 5, 2]],
    [7, [5, 2, 4, 1, 3, 0]],
    [8, [2, 5, 1, 4, 0, 3]],
    [99, [0, 1, 2, 3, 4, 5]],
  ])('shows a picture with the EXIF orientation %i upright', (orientation, pixels) => {
    expect([...applyOrientation(numbered, orientation).data]).toEqual(pixels);
  });
});

describe('cropPicture', () => {
  it('cuts out an area and ignores what lies outside', () => {
    expect(cropPicture(numbered, { x: 1, y: 0, w: 9, h: 1 })).toEqual({
      width: 2,
      height: 1,
      data: Uint8Array.of(1, 2),
    });
  });
});

describe('resizePicture', () => {
  it('keeps an even shade at every size', () => {
    for (const [width, height] of [
      [7, 30],
      [40, 2],
      [1, 1],
    ] as const) {
      const resized = resizePicture(
        picture(20, 10, () => 90),
        width,
        height,
      );
      expect([...new Set(resized.data)]).toEqual([90]);
    }
  });

  it('keeps dark parts at their places', () => {
    const half = picture(40, 40, (x) => (x < 20 ? 0 : 255));
    const enlarged = resizePicture(half, 80, 80);
    expect([enlarged.data[40 * 80 + 30], enlarged.data[40 * 80 + 50]]).toEqual([0, 255]);
    const reduced = resizePicture(half, 10, 10);
    expect([reduced.data[53], reduced.data[56]]).toEqual([0, 255]);
  });
});

describe('evenLight', () => {
  it('makes paper in a shadow white and keeps the ink dark', () => {
    const shadow = picture(320, 320, (x, y) => (x % 40 < 4 && y % 40 < 20 ? 30 : 250 - x / 2));
    const { data } = evenLight(shadow);
    expect(data[230 + 30 * 320]).toBeGreaterThan(235);
    expect(data[282 + 10 * 320]).toBeLessThan(110);
  });

  it('keeps dark areas dark', () => {
    const photo = picture(320, 320, (x) => (x < 160 ? 250 : 20));
    expect(evenLight(photo).data[300 + 160 * 320]).toBeLessThan(110);
  });

  it('makes gray paper in even light white', () => {
    const gray = picture(64, 64, (x) => (x === 5 ? 0 : 200));
    expect(evenLight(gray).data[30]).toBeGreaterThan(240);
  });

  it('leaves white paper in even light unchanged', () => {
    const white = picture(64, 64, (x) => (x === 5 ? 0 : 250));
    expect(evenLight(white)).toBe(white);
  });
});

describe('lightenDarkPicture', () => {
  it('inverts light text on a dark background only', () => {
    const dark = picture(10, 10, (x) => (x === 3 ? 255 : 20));
    expect(lightenDarkPicture(dark).data[3]).toBe(0);
    const light = picture(10, 10, (x) => (x === 3 ? 0 : 200));
    expect(lightenDarkPicture(light)).toBe(light);
  });
});

describe('placePicture', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [0, 5],
    [3, -4],
  ] as const)('returns words to their places after %i quarter turns and %i degrees', (turns, skew) => {
    // A dark square is found in the placed picture, and its box is mapped back.
    const original = picture(200, 300, (x, y) => (x >= 120 && x < 140 && y >= 60 && y < 80 ? 0 : 255));
    const placement = { turns, scale: 2, skew };
    const placed = placePicture(original, placement);
    let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
    for (let at = 0; at < placed.data.length; at++) {
      if (placed.data[at]! > 128) continue;
      const [x, y] = [at % placed.width, Math.floor(at / placed.width)];
      [left, top] = [Math.min(left, x), Math.min(top, y)];
      [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
    }
    const word = { text: 'a', x: left, y: top, w: right - left, h: bottom - top, confidence: 1 };
    const { x, y, w, h } = toOriginalWord(word, original, placed, placement);
    expect(Math.abs(x + w / 2 - 130)).toBeLessThan(2);
    expect(Math.abs(y + h / 2 - 70)).toBeLessThan(2);
  });
});

describe('decodeGrayPng', () => {
  it('weighs the colors of a picture', async () => {
    const data = Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255);
    const png = await encodePng({ width: 3, height: 1, channels: 3, data });
    expect([...decodeGrayPng(png)!.data]).toEqual([76, 149, 28]);
    expect(decodeGrayPng(png.subarray(0, 40))).toBeUndefined();
    expect(decodeGrayPng(png.subarray(0, 5))).toBeUndefined();
  });

  it('rejects a PNG that declares more pixels than it contains without allocating them', async () => {
    const png = await encodePng({ width: 1, height: 1, channels: 1, data: Uint8Array.of(0) });
    new DataView(png.buffer).setUint32(16, 0x7fffffff);
    new DataView(png.buffer).setUint32(20, 0x7fffffff);
    expect(decodeGrayPng(png)).toBeUndefined();
  });
});

describe('findRules', () => {
  it('finds the lines of a table and no letters', () => {
    const table = picture(400, 200, (x, y) => {
      const isRow = (y % 60 === 20 || y % 60 === 21) && x >= 20 && x <= 380;
      const isColumn = x % 180 < 2 && x >= 20 && y >= 20 && y <= 142;
      const isLetter = x % 15 < 6 && y % 60 >= 34 && y % 60 < 46;
      return isRow || isColumn || isLetter ? 0 : 255;
    });
    const rules = findRules(table, 12);
    const rows = rules.filter(({ w, h }) => w > h).map(({ y }) => y);
    const columns = rules.filter(({ w, h }) => h > w).map(({ x }) => x);
    expect(rows).toEqual([20, 80, 140]);
    expect(columns).toEqual([180, 360]);
  });

  const listRules = (isDark: (x: number, y: number) => boolean) =>
    findRules(
      picture(400, 200, (x, y) => (isDark(x, y) ? 0 : 255)),
      12,
    );

  it('leaves out bars and short dashes', () => {
    expect(listRules((x, y) => y >= 50 && y < 80 && x >= 20 && x < 380)).toEqual([]);
    expect(listRules((x, y) => y === 50 && x >= 20 && x < 60)).toEqual([]);
  });

  it('returns nothing for a pattern of many lines', () => {
    const hatched = picture(1200, 1400, (x, y) => (y % 4 === 0 && x % 600 < 500 ? 0 : 255));
    expect(findRules(hatched, 12)).toEqual([]);
  });
});
