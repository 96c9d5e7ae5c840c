import { describe, expect, it } from 'vitest';
import { measureTextHeight } from '#src/formats/pdf/drawing/text-height.ts';

const [WIDTH, HEIGHT] = [400, 400];

/** Returns a white picture with rows of dark boxes of the given heights. */
function picture(rows: readonly { height: number; count: number; width?: number }[]) {
  const data = new Uint8Array(WIDTH * HEIGHT).fill(240);
  let top = 4;
  for (const { height, count, width = height } of rows) {
    for (let at = 0; at < count; at++) {
      const left = 4 + at * (width + 3);
      for (let y = top; y < top + height; y++) data.fill(20, y * WIDTH + left, y * WIDTH + left + width);
    }
    top += height + 3;
  }
  return { width: WIDTH, height: HEIGHT, data };
}

describe('measureTextHeight', () => {
  it('returns the height of most shapes', () => {
    expect(
      measureTextHeight(
        picture([
          { height: 9, count: 30 },
          { height: 13, count: 8 },
        ]),
        0.2,
      ),
    ).toBe(9);
  });

  it('returns the height of small print for a small share', () => {
    const mixed = picture([
      { height: 9, count: 30 },
      { height: 9, count: 30 },
      { height: 5, count: 6 },
    ]);
    expect(measureTextHeight(mixed, 0.2)).toBe(9);
    expect(measureTextHeight(mixed, 0.05)).toBe(5);
  });

  it('ignores specks, lines and pictures', () => {
    const others = [
      { height: 2, count: 60 },
      { height: 5, count: 1, width: 300 },
      { height: 100, count: 3 },
    ];
    expect(measureTextHeight(picture([...others, { height: 10, count: 28 }]), 0.2)).toBe(10);
    expect(measureTextHeight(picture(others), 0.2)).toBeUndefined();
  });

  it('joins strokes of a letter that meet further down', () => {
    const data = new Uint8Array(WIDTH * HEIGHT).fill(240);
    for (let at = 0; at < 30; at++) {
      const left = 4 + at * 12;
      for (let y = 10; y < 22; y++) {
        data.fill(20, y * WIDTH + left, y * WIDTH + left + 2);
        data.fill(20, y * WIDTH + left + 6, y * WIDTH + left + 8);
      }
      data.fill(20, 22 * WIDTH + left, 22 * WIDTH + left + 8);
    }
    expect(measureTextHeight({ width: WIDTH, height: HEIGHT, data }, 0.2)).toBe(13);
  });

  it('returns undefined for an empty picture', () => {
    expect(measureTextHeight(picture([]), 0.2)).toBeUndefined();
  });
});
