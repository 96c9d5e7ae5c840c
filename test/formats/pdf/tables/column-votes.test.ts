import { describe, expect, it } from 'vitest';
import { grid, line, text } from '#test/fixtures/pdf.ts';
import { readOne } from '../helpers.ts';

const PITCH = 16;

/** Draws rows of cells below each other, the first at y. An empty cell draws nothing. */
const drawRows = (xs: readonly number[], y: number, rows: readonly (readonly string[])[]): string =>
  rows
    .flatMap((row, at) =>
      row.map((cell, column) => (cell === '' ? '' : text(xs[column]!, y - at * PITCH, cell, 10))),
    )
    .join('');

const readBlocks = async (content: string) =>
  (await readOne(content)).blocks.map((block) => [block.type, block.text]);

const toText = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join('\t')).join('\n');

describe('columns of tables without rules', () => {
  const METALS = [
    ['Copper', '12.4', '13.1', '40.0'],
    ['Brass', '7.9', '8.3', '22.6'],
    ['Iron', '3.2', '9.8', '1.7'],
    ['Zinc', '3.7', '9.1', '1.9'],
  ];

  it('stay apart below a header that covers two of them', async () => {
    const content = drawRows([72, 220, 360], 684, [
      ['Copper wire', '12.4', '40.0'],
      ['Brass', '7.9', '22.6'],
      ['Iron', '3.2', '1.7'],
      ['Zinc', '5.2', '6.7'],
    ]);
    const header = text(200, 700, 'Prices of both of the years in the region', 10);
    expect(await readBlocks(header + content)).toEqual([
      ['paragraph', 'Prices of both of the years in the region'],
      [
        'table',
        toText([
          ['Copper wire', '12.4', '40.0'],
          ['Brass', '7.9', '22.6'],
          ['Iron', '3.2', '1.7'],
          ['Zinc', '5.2', '6.7'],
        ]),
      ],
    ]);
  });

  it('are joined if more rows cross their gap than have texts on both sides', async () => {
    const rows = [
      ['mill', 'hard', 'cold', 'near'],
      ['tower', 'soft', '', 'far'],
      ['bridge', 'warm', '', 'near'],
      ['gate', 'very soft in the sun', '', 'far'],
      ['inn', 'dry', '', 'near'],
      ['hall', 'wet', '', 'far'],
      ['wall', 'very warm in the sun', '', 'near'],
      ['house', 'dull', '', 'far'],
    ];
    const joined = rows.map(([first, second, third, last]) => [
      first!,
      [second, third].filter((part) => part !== '').join(' '),
      last!,
    ]);
    expect(await readBlocks(drawRows([72, 180, 230, 320], 700, rows))).toEqual([['table', toText(joined)]]);
  });

  it('are read beside a caption above them, which is no header', async () => {
    const content = text(232, 700, 'Table 4 Metals', 10) + drawRows([72, 180, 240, 330], 684, METALS);
    expect(await readBlocks(content)).toEqual([
      ['paragraph', 'Table 4 Metals'],
      ['table', toText(METALS)],
    ]);
  });

  it('are divided again below a remark over all of them', async () => {
    const content =
      drawRows([72, 180, 260, 340], 700, METALS.slice(0, 2)) +
      text(72, 668, 'A remark over the columns that is long', 10) +
      drawRows([72, 180, 260, 340], 652, METALS);
    expect(await readBlocks(content)).toEqual([
      ['table', toText(METALS.slice(0, 2))],
      ['paragraph', 'A remark over the columns that is long'],
      ['table', toText(METALS)],
    ]);
  });
});

describe('captions between a rule and the header of a grid', () => {
  it('are no part of the table', async () => {
    const body = [
      ['Wire', '1', '2'],
      ['Nails', '3', '4'],
    ];
    const content =
      line(72, 745, 372, 745) +
      text(76, 734, 'Goods of the year', 10) +
      drawRows([77, 177, 277], 722, [['Goods', 'Spring', 'Rest']]) +
      drawRows([77, 177, 277], 711, [['(kind)', '(days)', '(tons)']]) +
      grid([72, 172, 272, 372], [706, 686, 666]) +
      body.map((row, at) => drawRows([77, 177, 277], 692 - 20 * at, [row])).join('');
    expect(await readBlocks(content)).toEqual([
      ['paragraph', 'Goods of the year'],
      ['table', toText([['Goods (kind)', 'Spring (days)', 'Rest (tons)'], ...body])],
    ]);
  });
});
