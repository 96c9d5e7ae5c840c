import { describe, expect, it } from 'vitest';
import type { Rect } from '#src/formats/pdf/geometry.ts';
import { closeOpenSides } from '#src/parse-file/open-sides.ts';

const across = (y: number, x0 = 50, x1 = 450): Rect => ({ x0, y0: y, x1, y1: y + 1 });
const upright = (x: number, y0 = 100, y1 = 200): Rect => ({ x0: x, y0, x1: x + 1, y1 });
const listSides = (rules: readonly Rect[]) =>
  closeOpenSides(rules)
    .slice(rules.length)
    .map(({ x0, y0, y1 }) => [x0, y0, y1]);

describe('closeOpenSides', () => {
  it('adds sides to a table with lines between its columns', () => {
    expect(listSides([across(100), across(200), upright(200)])).toEqual([
      [50, 100, 201],
      [450, 100, 201],
    ]);
  });

  it('adds nothing without a line between columns', () => {
    expect(listSides([across(100), across(200)])).toEqual([]);
    expect(listSides([across(100), across(200), upright(50), upright(450)])).toEqual([]);
    expect(listSides([across(100), across(200), upright(200, 300, 400)])).toEqual([]);
  });

  it('adds nothing between lines of different width', () => {
    expect(listSides([across(100), across(200, 50, 300), upright(200)])).toEqual([]);
    expect(listSides([across(100), across(200, 80, 450), upright(200)])).toEqual([]);
  });

  it('leaves drawings with many lines unchanged', () => {
    const many = Array.from({ length: 301 }, (_, at) => across(at * 3));
    expect(listSides([...many, upright(200, 0, 900)])).toEqual([]);
  });
});
