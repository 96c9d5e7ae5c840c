import { describe, expect, it } from 'vitest';
import { findLetters } from '#ocr/picture/letters.ts';
import { measureHorizontalShare } from '#ocr/picture/line-direction.ts';
import { measureSkew } from '#ocr/picture/skew.ts';
import type { Shape } from '#src/images/ink-shapes.ts';

/** Letters of 10 pixels in 20 lines, with gaps of 3 pixels between letters and 12 between lines. */
const letters: Shape[] = Array.from({ length: 800 }, (_, at) => {
  const [x, y] = [(at % 40) * 13 + Math.floor(at / 40) * 3, Math.floor(at / 40) * 22];
  return { x0: x, y0: y, x1: x + 10, y1: y + 10 };
});

const incline = (shapes: readonly Shape[], degrees: number): Shape[] =>
  shapes.map(({ x0, y0, x1, y1 }) => {
    const down = Math.tan((degrees * Math.PI) / 180) * x0;
    return { x0, y0: y0 + down, x1, y1: y1 + down };
  });

describe('measureSkew', () => {
  it.each([-6, -1.5, 2, 9])('finds lines that are inclined by %d degrees', (degrees) => {
    expect(Math.abs(measureSkew(incline(letters, degrees), 10) - degrees)).toBeLessThanOrEqual(0.5);
  });

  it('returns 0 if no angle is clearly better', () => {
    let seed = 1;
    const place = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return (seed / 2 ** 32) * 1000;
    };
    const scattered = Array.from({ length: 2_000 }, () => {
      const [x, y] = [place(), place()];
      return { x0: x, y0: y, x1: x + 10, y1: y + 10 };
    });
    expect(measureSkew(scattered, 10)).toBe(0);
  });

  it('returns 0 for level lines and for few letters', () => {
    expect(measureSkew(letters, 10)).toBe(0);
    expect(measureSkew(incline(letters.slice(0, 20), 5), 10)).toBe(0);
  });
});

describe('measureHorizontalShare', () => {
  it('tells level lines from a page that is turned by a quarter', () => {
    expect(measureHorizontalShare(letters, 10)).toBeGreaterThan(0.9);
    const turned = letters.map(({ x0, y0, x1, y1 }) => ({ x0: y0, y0: x0, x1: y1, y1: x1 }));
    expect(measureHorizontalShare(turned, 10)).toBeLessThan(0.1);
  });

  it('returns undefined for few letters', () => {
    expect(measureHorizontalShare(letters.slice(0, 5), 10)).toBeUndefined();
  });
});

describe('findLetters', () => {
  it('leaves out specks, lines and pictures', () => {
    const [width, height] = [600, 400];
    const data = new Uint8Array(width * height).fill(255);
    const fill = (left: number, top: number, w: number, h: number) => {
      for (let y = top; y < top + h; y++) data.fill(0, y * width + left, y * width + left + w);
    };
    for (let at = 0; at < 20; at++) fill(20 + at * 20, 20, 8, 14);
    fill(20, 60, 500, 2);
    fill(300, 100, 2, 2);
    fill(100, 150, 200, 200);
    const found = findLetters({ width, height, data });
    expect(found.shapes).toHaveLength(20);
    expect(found.height).toBe(14);
  });

  const draw = (boxes: readonly (readonly [x: number, y: number, w: number, h: number])[]) => {
    const data = new Uint8Array(600 * 400).fill(255);
    for (const [x, y, w, h] of boxes)
      for (let row = y; row < y + h; row++) data.fill(0, row * 600 + x, row * 600 + x + w);
    return { width: 600, height: 400, data };
  };
  const row = Array.from({ length: 20 }, (_, at) => [20 + at * 20, 20, 8, 14] as const);

  it.each([
    ['long dashes', [100, 80, 60, 8]],
    ['hair lines', [100, 80, 1, 5]],
    ['shapes that are much higher than letters', [100, 80, 50, 80]],
  ] as const)('leaves out %s', (_, shape) => {
    expect(findLetters(draw([...row, shape])).shapes).toHaveLength(20);
  });

  it('measures letters although specks are more frequent', () => {
    const specks = Array.from({ length: 30 }, (_, at) => [20 + at * 12, 200, 5, 5] as const);
    expect(findLetters(draw([...row, ...specks])).height).toBe(14);
  });

  it('finds nothing on a blank page', () => {
    const blank = { width: 50, height: 50, data: new Uint8Array(2500).fill(255) };
    expect(findLetters(blank)).toEqual({ shapes: [], height: 0 });
  });
});
