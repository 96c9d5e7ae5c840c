import { describe, expect, it } from 'vitest';
import { PAGES } from '#test/fixtures/chart.ts';
import { grid, line, rectangle, text } from '#test/fixtures/pdf.ts';
import { readPages } from '../helpers.ts';

const readDrawings = async (content: string) => (await readPages([{ content }]))[0]!.drawings;

describe('drawings of a page', () => {
  it('include a chart with its labels', async () => {
    const [chart, ...others] = (await readDrawings(PAGES.labelled.content))!;
    expect(others).toEqual([]);
    // The chart spans from 100, 192 to 400, 392, plus 22 points on each side.
    expect(chart!.x).toBeCloseTo(78, -1);
    expect(chart!.y).toBeCloseTo(170, -1);
    expect(chart!.w).toBeCloseTo(344, -1);
    expect(chart!.h).toBeCloseTo(244, -1);
  });

  it('include two separate charts', async () => {
    const bars = (x: number) =>
      [0, 1, 2, 3].map((at) => rectangle(x + 30 * at, 500, 20, 80 + 10 * at)).join('');
    expect(await readDrawings(bars(60) + bars(350))).toHaveLength(2);
  });

  it('include a winding line', async () => {
    const points = Array.from({ length: 40 }, (_, at) => `${100 + 5 * at} ${500 + 40 * Math.sin(at)} l`);
    const drawn = `100 500 m ${points.join(' ')} S\n${line(100, 450, 300, 450)}`;
    expect(await readDrawings(drawn)).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['a table', grid([72, 200, 330], [500, 530, 560, 590]) + text(80, 510, 'Tin') + text(210, 510, '12')],
    ['rules', line(72, 700, 540, 700) + line(72, 400, 540, 400) + line(72, 100, 540, 100)],
    ['a frame of text', grid([72, 400], [500, 650]) + text(80, 600, 'Mind the tide.')],
    ['a background', rectangle(0, 0, 612, 792, '0.9 0.9 0.8') + text(80, 600, 'Mind the tide.')],
    ['a small sign', [0, 1, 2, 3].map((at) => rectangle(72 + 8 * at, 700, 6, 20)).join('')],
  ])('exclude %s', async (_, content) => {
    expect(await readDrawings(content)).toBeUndefined();
  });
});

describe('area of a cropped page', () => {
  it('is reported when parts are cut off', async () => {
    const content = PAGES.labelled.content;
    const [cut] = await readPages([{ content }], { bbox_top: 0.5, bbox_right: 0.25 });
    expect(cut).toMatchObject({ area: { x: 0, y: 396, w: 459, h: 396 } });
    expect(cut!.drawings![0]!.y).toBe(396);
    expect((await readPages([{ content }]))[0]!.area).toBeUndefined();
  });
});
